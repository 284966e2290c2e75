import '../../services/clean.ts';
