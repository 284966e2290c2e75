export const context = 'clean';
