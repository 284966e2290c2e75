import '../../transfer/src/index.ts';
