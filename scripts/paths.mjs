// Where things are, and how tools that live in node_modules are found.
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const CACHE = join(ROOT, '.cache');
export const BIN = join(ROOT, 'node_modules', '.bin');

/** The tools are scripts that start `node`: with BIN first, that is the pinned one. */
export const toolEnv = () => ({ ...process.env, PATH: `${BIN}${delimiter}${process.env.PATH ?? ''}` });
