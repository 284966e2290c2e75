// A wrong clock for a process, which a test switches on and off by a file.
import type { Environment } from '../process.ts';

/** More than the 15 minutes that S3 tolerates, less than the 20 minutes of an upload without a part. */
const AHEAD_MS = 17 * 60_000;

/** Runs before the first module of the process. */
const programOf = (switchFile: string) => `
  import { existsSync } from 'node:fs';
  const Real = Date;
  const now = () => Real.now() + (existsSync(${JSON.stringify(switchFile)}) ? ${AHEAD_MS} : 0);
  globalThis.Date = class extends Real {
    static now = now;
    constructor(...given) {
      super(...(given.length === 0 ? [now()] : given));
    }
  };`;

/** Returns the environment of a process whose clock is wrong while the file exists. */
export function wrongClock(switchFile: string): Environment {
  const module = Buffer.from(programOf(switchFile)).toString('base64');
  return { NODE_OPTIONS: `--import=data:text/javascript;base64,${module}` };
}
