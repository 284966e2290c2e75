export const button = 'clean';
