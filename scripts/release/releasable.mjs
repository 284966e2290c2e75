// Says whether a release may be made from this clone.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {string} root
 * @param {string[]} args
 */
function git(root, args) {
  const { status, stdout, stderr, error } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args[0]} failed: ${stderr ?? ''}${error?.message ?? ''}`);
  return stdout.trim();
}

/**
 * @param {string} root
 * @returns {string | undefined} why not, or undefined if it may
 */
export function reasonAgainstRelease(root) {
  const changes = git(root, ['status', '--porcelain', '--untracked-files=all']);
  if (changes !== '') return `the tree has uncommitted changes:\n${changes}`;
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const headings = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split('\n');
  if (headings.some((line) => line.startsWith(`## [${version}]`))) return undefined;
  return `CHANGELOG.md has no entry for version ${version}`;
}

/**
 * The commit that is released, and its time in seconds.
 * @param {string} root
 */
export function releasedCommit(root) {
  const [commit = '', timeS] = git(root, ['show', '--no-patch', '--format=%H %ct', 'HEAD']).split(' ');
  return { commit, timeS: Number(timeS) };
}
