import '../routes/clean.ts';
