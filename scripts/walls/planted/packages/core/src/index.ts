export const clean = 'core';
