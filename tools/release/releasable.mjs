// Says whether a release may be made from this clone, and what is in it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
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
  const changelog = `\n${readFileSync(join(root, 'CHANGELOG.md'), 'utf8')}`;
  if (!/\S/u.test(entryOf(changelog, version))) return `CHANGELOG.md has no entry for version ${version}`;
  // Otherwise two releases of the same version could have different contents.
  if (/\S/u.test(entryOf(changelog, 'Unreleased')))
    return `CHANGELOG.md has entries under "Unreleased": move them to a new version`;
  const tag = `v${version}`;
  if (git(root, ['tag', '--list', tag]) === '') return undefined;
  const [tagged, head] = [`${tag}^{commit}`, 'HEAD'].map((name) => git(root, ['rev-parse', name]));
  return tagged === head ? undefined : `the tag ${tag} exists at another commit: a version is released once`;
}

/**
 * @param {string} changelog
 * @param {string} version
 * @returns {string} the entry of a version, without its heading
 */
function entryOf(changelog, version) {
  const [, rest = ''] = changelog.split(`\n## [${version}]`);
  return rest.includes('\n') ? (rest.slice(rest.indexOf('\n')).split('\n## [')[0] ?? '') : '';
}

/** Who may sign the tag of a release, in the format of ssh-keygen. */
const SIGNERS = '.github/release-signers';

/**
 * @param {string} root
 * @param {string} tag
 * @returns {string | undefined} why nothing may be published under this tag, or undefined if it may
 */
export function reasonAgainstTag(root, tag) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (tag !== `v${version}`) return `the tag ${tag} does not name the version ${version}`;
  // The file of the tagged commit would let everyone who can push a tag add a key of their own.
  const signers = git(root, ['show', `origin/main:${SIGNERS}`]);
  const folder = mkdtempSync(join(tmpdir(), 'furoshiki-signers-'));
  try {
    writeFileSync(join(folder, 'signers'), `${signers}\n`);
    git(root, ['-c', 'gpg.format=ssh', '-c', `gpg.ssh.allowedSignersFile=${folder}/signers`, 'verify-tag', tag]);
    const [tagged, head] = [`${tag}^{commit}`, 'HEAD'].map((name) => git(root, ['rev-parse', name]));
    return tagged === head ? undefined : `the tag ${tag} is not at the commit that is checked out`;
  } catch {
    return `the tag ${tag} is not signed by a key of ${SIGNERS} on the main branch`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * @param {string} root
 * @returns {string} the entry of CHANGELOG.md for the version, without its heading
 */
export function notesOf(root) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return `${entryOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version).trim()}\n`;
}

/**
 * The commit that is released, and its time in seconds.
 * @param {string} root
 */
export function releasedCommit(root) {
  const [commit = '', timeS] = git(root, ['show', '--no-patch', '--format=%H %ct', 'HEAD']).split(' ');
  return { commit, timeS: Number(timeS) };
}
