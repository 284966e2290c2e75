export const services = 'clean';
