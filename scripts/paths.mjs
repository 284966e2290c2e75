// Paths of the repository, and the environment to run tools from node_modules.
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const CACHE = join(ROOT, '.cache');
export const BIN = join(ROOT, 'node_modules', '.bin');
/** The Node version that package.json pins, for this platform. */
export const NODE = join(BIN, 'node');

/** For `NODE_COMPILE_CACHE`: processes that run the same sources start in half of the processor time. */
export const COMPILED = join(CACHE, 'compiled');

/** The tools are scripts that start `node`. With BIN first in the PATH, they start the pinned version. */
export const toolEnv = () => ({ ...process.env, PATH: `${BIN}${delimiter}${process.env.PATH ?? ''}` });
