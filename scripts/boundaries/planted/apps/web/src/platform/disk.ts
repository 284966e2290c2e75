import '../services.ts';

export const disk = 'clean';
