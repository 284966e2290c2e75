// The folder of the built web app. A file of its own, because the release bundle replaces it.
import { fileURLToPath } from 'node:url';

export const WEB_ROOT = fileURLToPath(new URL('../../../web/dist', import.meta.url));
