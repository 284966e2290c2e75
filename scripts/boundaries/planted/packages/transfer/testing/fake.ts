export const fake = 'transport';
