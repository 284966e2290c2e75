// Builds the web app if its inputs have changed since the last successful build.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRecord, RECORD_NAME, recordOf, sourceCommit, writeRecord } from './build-record.mjs';
import { contentHash } from './content-hash.mjs';
import { withLock } from './lock.mjs';
import { BIN, CACHE, ROOT, toolEnv } from './paths.mjs';

export const INPUTS = ['apps/web', 'packages', 'package-lock.json', 'tsconfig.base.json'];
const WEB = join(ROOT, 'apps', 'web');
export const DIST = join(WEB, 'dist');
// Not in dist, because the server serves that folder.
const STAMP = join(CACHE, 'web-build.hash');
const SCRATCH = join(CACHE, `build-record-${process.pid}.json`);

/** @param {string} path */
export const isIgnoredByBuild = (path) =>
  path === 'apps/web/dist' || /(^|\/)(node_modules|testing|vectors)$|\.test\.tsx?$/.test(path);

/** @param {string} hash */
const isBuilt = (hash) =>
  existsSync(join(DIST, RECORD_NAME)) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hash;

export function ensureBuilt() {
  const hash = contentHash(ROOT, INPUTS, isIgnoredByBuild);
  const commit = sourceCommit(ROOT, INPUTS, isIgnoredByBuild);
  if (isBuilt(hash)) return recordCommit(commit);
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
    const { version } = JSON.parse(readFileSync(join(WEB, 'package.json'), 'utf8'));
    writeRecord(DIST, recordOf(DIST, { version, commit: commit ?? null }), SCRATCH);
    writeFileSync(STAMP, hash);
  });
}

/**
 * A commit that changes no input needs no new build. An unknown commit replaces nothing: the inputs are still those of
 * the recorded one.
 * @param {string | null | undefined} commit
 */
function recordCommit(commit) {
  const record = readRecord(DIST);
  if (commit !== undefined && record.commit !== commit) writeRecord(DIST, { ...record, commit }, SCRATCH);
}
