import '../../packages/format/src/index.ts';
