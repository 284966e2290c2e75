// build.json, the record of a build: version, commit, and the SHA-256 of every other file.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles } from './content-hash.mjs';

/** @typedef {{ version: string, commit: string | null, files: Record<string, string> }} BuildRecord */

export const RECORD_NAME = 'build.json';

/** @param {string} dist */
const fileOf = (dist) => join(dist, RECORD_NAME);

/** @param {Buffer} bytes */
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/**
 * @param {string} dist
 * @returns {BuildRecord}
 */
export const readRecord = (dist) => JSON.parse(readFileSync(fileOf(dist), 'utf8'));

/**
 * Identifies a build: the SHA-256 of its record, which has the SHA-256 of everything else.
 * @param {string} dist
 */
export const fingerprintOf = (dist) => sha256(readFileSync(fileOf(dist)));

/**
 * The bytes depend on nothing but the arguments and the files: keys are sorted by code unit, not by locale.
 * @param {string} dist
 * @param {{ version: string, commit: string | null }} source
 * @returns {BuildRecord}
 */
export function recordOf(dist, { version, commit }) {
  const names = listFiles(dist, '.', (path) => path === `./${RECORD_NAME}`).map((path) => path.slice(2));
  const files = names.toSorted().map((name) => [name, sha256(readFileSync(join(dist, name)))]);
  return { version, commit, files: Object.fromEntries(files) };
}

/**
 * Replaces the record at once, because a running server may serve it.
 * @param {string} dist
 * @param {BuildRecord} record
 * @param {string} scratch a file on the same disk
 */
export function writeRecord(dist, record, scratch) {
  writeFileSync(scratch, `${JSON.stringify(record, null, 2)}\n`);
  renameSync(scratch, fileOf(dist));
}

const COMMIT = /^[0-9a-f]{40}$/u;

/**
 * Finds the commit that a build is made from. Returns null if an input differs from the commit, and undefined if the commit is
 * unknown: the folder is no clone, or there is no git. Without a clone, as in a container, FUROSHIKI_COMMIT can name the commit.
 * @param {string} root
 * @param {string[]} inputs
 * @param {(path: string) => boolean} isIgnored
 * @returns {string | null | undefined}
 */
export function sourceCommit(root, inputs, isIgnored) {
  if (!existsSync(join(root, '.git'))) return statedCommit(process.env.FUROSHIKI_COMMIT);
  const args = ['status', '--porcelain=v2', '--branch', '-z', '--no-renames', '--untracked-files=all'];
  // Files that git ignores are inputs as well. The owner may be another user: git would refuse, but our code runs anyway.
  const options = ['--no-optional-locks', '-c', 'safe.directory=*'];
  const git = spawnSync('git', [...options, ...args, '--ignored=matching', '--', ...inputs], {
    cwd: root,
    encoding: 'utf8',
  });
  if (git.status !== 0) return undefined;
  const lines = git.stdout.split('\0').filter((line) => line !== '');
  const isClean = lines.every((line) => line.startsWith('# ') || isBelow(pathIn(line), isIgnored));
  const [commit] = lines.flatMap((line) => /^# branch\.oid (.*)$/u.exec(line)?.[1] ?? []);
  return isClean && COMMIT.test(commit ?? '') ? commit : null;
}

/** @param {string | undefined} text */
function statedCommit(text) {
  if (text === undefined || text === '') return undefined;
  if (!COMMIT.test(text)) throw new Error('FUROSHIKI_COMMIT must be the full hash of a commit: 40 hex digits');
  return text;
}

/**
 * Lines are `? path`, `! path`, `1 <7 fields> path` for a change, and `u <9 fields> path` for a conflict.
 * @param {string} line
 */
function pathIn(line) {
  const fields = { '?': 1, '!': 1, 1: 8, u: 10 }[line[0] ?? ''] ?? 0;
  return line.split(' ').slice(fields).join(' ').replace(/\/$/u, '');
}

/**
 * @param {string} path
 * @param {(path: string) => boolean} isIgnored
 */
const isBelow = (path, isIgnored) =>
  path.split('/').some((_, index, names) => isIgnored(names.slice(0, index + 1).join('/')));
