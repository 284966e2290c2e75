import '../../server/src/services/clean.ts';
