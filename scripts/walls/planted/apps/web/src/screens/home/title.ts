export const title = 'home';
