import '../../packages/core/src/index.ts';
