import '../../../tools/verify/src/index.ts';
