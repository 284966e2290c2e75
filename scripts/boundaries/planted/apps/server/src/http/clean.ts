import '../services/context.ts';
