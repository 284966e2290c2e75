// The folder of the built web app.
import { fileURLToPath } from 'node:url';

export const WEB_ROOT = fileURLToPath(new URL('../../../web/dist', import.meta.url));
