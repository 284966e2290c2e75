// Finds programs of the system, and installs Debian packages for missing ones if possible.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

// Servers are in sbin, which is not on every user's PATH.
const SYSTEM_FOLDERS = ['/usr/sbin', '/sbin'];

// Prevents apt-get from asking questions, and from starting a server after its package is installed.
const APT_ENV = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1', SYSTEMD_OFFLINE: '1' };

/** Packages that are not called like their program. @type {Record<string, string>} */
const PACKAGES = {
  '7zz': '7zip',
  bsdtar: 'libarchive-tools',
  promtool: 'prometheus',
  'systemd-analyze': 'systemd',
};

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
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...SYSTEM_FOLDERS];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/**
 * @param {string[]} packages
 * @returns {string | undefined} why they could not be installed, or undefined if they were
 */
export function installDebianPackages(packages) {
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).error)
    return 'only root on Debian can install it';
  console.error(`Installing ${packages.join(' and ')} with apt-get.`);
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...packages]]) {
    const run = spawnSync('apt-get', args, { encoding: 'utf8', env: { ...process.env, ...APT_ENV } });
    if (run.status !== 0) return `apt-get ${args[0]} failed: ${run.stderr.trim().split('\n').at(-1)}`;
  }
  return undefined;
}

/**
 * @param {string[]} names of programs
 * @returns {string | undefined} why some are missing, or undefined if none is
 */
export function ensurePrograms(...names) {
  const missing = names.filter((name) => !findProgram(name));
  if (missing.length === 0) return undefined;
  const reason = installDebianPackages(missing.map((name) => PACKAGES[name] ?? name));
  return reason === undefined ? undefined : `${missing.join(' and ')} not found (${reason})`;
}
