// The folders of the built web app, and of what the makers of this release have signed. A file of its own, because the release bundle replaces it.
import { fileURLToPath } from 'node:url';

export const WEB_ROOT = fileURLToPath(new URL('../../../web/dist', import.meta.url));
/** Exists in the sources of a release only: see docs/RELEASING.md. */
export const PUBLISHED_DIR = fileURLToPath(new URL('../../../../webcat', import.meta.url));
