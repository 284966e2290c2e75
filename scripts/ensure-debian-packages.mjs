// Finds programs of the system, and installs Debian's packages of those that are missing where that is possible.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

// Servers are in sbin, which is not on everybody's PATH.
const ALWAYS = ['/usr/sbin', '/sbin'];

// Packages of servers start them at once. We want the program and not the service.
const QUIET = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1', SYSTEMD_OFFLINE: '1' };

/** @param {string} file */
export function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {string[]} names tried in this order
 * @returns {string | undefined}
 */
export function findProgram(...names) {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...ALWAYS];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/**
 * @param {string[]} packages
 * @returns {string | undefined} why they could not be installed
 */
export function installDebianPackages(packages) {
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).error)
    return 'only root on Debian can install it';
  console.error(`Installing ${packages.join(' and ')} with apt-get.`);
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...packages]]) {
    const run = spawnSync('apt-get', args, { encoding: 'utf8', env: { ...process.env, ...QUIET } });
    if (run.status !== 0) return `apt-get ${args[0]} failed: ${run.stderr.trim().split('\n').at(-1)}`;
  }
  return undefined;
}

/**
 * @param {string[]} names of programs, which their packages are called after
 * @returns {string | undefined} the reason why some are missing, or nothing when all are there
 */
export function ensurePrograms(...names) {
  const missing = names.filter((name) => !findProgram(name));
  if (missing.length === 0) return undefined;
  const reason = installDebianPackages(missing);
  return reason === undefined ? undefined : `${missing.join(' and ')} not found (${reason})`;
}
