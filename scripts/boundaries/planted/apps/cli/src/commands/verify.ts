import '../../../../tools/verify/src/index.ts';

export const verify = true;
