export const disk = 'clean';
