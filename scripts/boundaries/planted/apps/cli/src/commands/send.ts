export const send = true;
