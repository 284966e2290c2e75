import '../services/clean.ts';
