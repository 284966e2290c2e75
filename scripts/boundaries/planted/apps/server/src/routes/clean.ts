import 'fastify';
import '../http/clean.ts';
import '../services/clean.ts';
