// The same sources give the same bytes, for every user, place and time.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readRecord } from './build-record.mjs';
import { findProgram } from './ensure-programs.mjs';
import { DIST, ensureBuilt, INPUTS, isIgnoredByBuild } from './ensure-built.mjs';
import { CACHE, ROOT } from './paths.mjs';

const faketime = findProgram('faketime');
let outer: string;
let copy: string;

beforeAll(() => {
  ensureBuilt();
  // Below .cache, and not in the folder for temporary files: hard links need the same disk.
  mkdirSync(CACHE, { recursive: true });
  outer = mkdtempSync(join(CACHE, 'reproducible-'));
  copy = join(outer, 'a deeper folder', 'ğ');
  mkdirSync(copy, { recursive: true });
  const isSource = (path: string) => !isIgnoredByBuild(relative(ROOT, path));
  for (const name of [...INPUTS, 'package.json', 'scripts'])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true, filter: isSource });
  for (const folder of ['.', ...workspaces()]) link(join(folder, 'node_modules'));
});
afterAll(() => rmSync(outer, { recursive: true }));

const workspaces = () =>
  ['apps', 'packages'].flatMap((parent) => readdirSync(join(copy, parent)).map((name) => join(parent, name)));

/** Links between packages are relative, so those of the copy lead to the copy. */
function link(folder: string): void {
  const { stderr } = spawnSync('cp', ['-al', join(ROOT, folder), join(copy, folder)], { encoding: 'utf8' });
  expect(stderr.replace(/^cp: cannot stat .*: No such file or directory\n$/u, '')).toBe('');
}

/** Builds the copy at another time and place, in another language, with other permissions and without a clone. */
function build(program: string): string {
  const { commit } = readRecord(DIST);
  const { stdout, stderr } = spawnSync(
    'sh',
    ['-c', 'umask 077 && exec "$@"', 'sh', program, '2031-02-03 04:05:06', process.execPath, 'scripts/build.mjs'],
    {
      cwd: copy,
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'],
        TZ: 'Asia/Kathmandu',
        LC_ALL: 'tr_TR.UTF-8',
        LANG: 'tr_TR.UTF-8',
        HOME: outer,
        UV_THREADPOOL_SIZE: '7',
        FUROSHIKI_COMMIT: commit ?? '',
      },
    },
  );
  expect(stderr).toBe('Building the web app…\n');
  return stdout;
}

it.skipIf(faketime === undefined)('a build elsewhere has the same files', () => {
  const output = build(faketime ?? '');
  const other = join(copy, 'apps', 'web', 'dist');
  const files = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
      .toSorted();
  expect(files(other)).toEqual(files(DIST));
  expect(files(other).length).toBeGreaterThan(400);
  const different = files(other).filter(
    (name) => !readFileSync(join(other, name)).equals(readFileSync(join(DIST, name))),
  );
  expect(different).toEqual([]);
  expect(output).toMatch(/^fingerprint {2}[0-9a-f]{64}$/mu);
});
