import '../../../../packages/transfer/src/index.ts';
