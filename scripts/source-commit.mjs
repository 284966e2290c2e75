// Finds the commit that a build is made from.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const COMMIT = /^[0-9a-f]{40}$/u;

/**
 * Returns null if an input differs from the commit, and undefined if nobody knows the commit: the folder is no clone, or
 * there is no git. Without a clone, as in a container, FUROSHIKI_COMMIT can name the commit.
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
