export const clean = 'format';
