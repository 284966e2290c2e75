// Builds the web app if its inputs have changed since the last successful build.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentHash } from './content-hash.mjs';
import { withLock } from './lock.mjs';
import { BIN, CACHE, ROOT, toolEnv } from './paths.mjs';

const INPUTS = ['apps/web', 'packages', 'package-lock.json'];
const WEB = join(ROOT, 'apps', 'web');
// Not in dist, because the server serves that folder.
const STAMP = join(CACHE, 'web-build.hash');

/** @param {string} path */
export const isIgnoredByBuild = (path) =>
  path === 'apps/web/dist' || /(^|\/)(node_modules|testing|vectors)$|\.test\.tsx?$/.test(path);

/** @param {string} hash */
const isBuilt = (hash) =>
  existsSync(join(WEB, 'dist', 'pages')) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hash;

export function ensureBuilt() {
  const hash = contentHash(ROOT, INPUTS, isIgnoredByBuild);
  if (isBuilt(hash)) return;
  withLock(join(CACHE, 'web-build.lock'), () => {
    if (isBuilt(hash)) return; // another process built it while we waited for the lock
    rmSync(STAMP, { force: true });
    console.error('Building the web app…');
    const run = spawnSync(join(BIN, 'vite'), ['build', '--logLevel', 'warn'], {
      cwd: WEB,
      encoding: 'utf8',
      env: { ...toolEnv(), NODE_ENV: 'production' },
    });
    if (run.status !== 0) throw new Error(`vite build failed:\n${run.stdout}${run.stderr}${run.error ?? ''}`);
    mkdirSync(CACHE, { recursive: true });
    writeFileSync(STAMP, hash);
  });
}
