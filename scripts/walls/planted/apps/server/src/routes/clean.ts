import 'fastify';
import '../services/clean.ts';
