// Installs the dependencies if node_modules is missing or differs from package-lock.json.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { CACHE, ROOT } from './paths.mjs';

/**
 * @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean, bin?: Record<string, string>,
 *   os?: string | string[], cpu?: string | string[] }} LockedPackage
 * @typedef {{ packages: Record<string, LockedPackage> }} Lockfile
 */

/**
 * npm writes a lockfile of what it has installed into node_modules, as its last step. Comparing the two lockfiles needs
 * no stamp file and stays correct if a developer runs `npm install`.
 * @param {Lockfile} wanted
 * @param {Lockfile} installed
 */
export function isInstalled(wanted, installed) {
  return Object.entries(wanted.packages).every(([path, want]) => {
    if (!path.includes('node_modules/')) return true; // the root and the workspaces themselves
    const have = installed.packages[path];
    if (!have) return want.optional === true && !isOurNode(want);
    return want.link ? have.link === true : have.version === want.version && have.integrity === want.integrity;
  });
}

/**
 * Other optional packages may be missing: they are for other platforms. A Node that an older lockfile brought must be
 * replaced.
 * @param {LockedPackage} locked
 */
const isOurNode = ({ bin, os, cpu }) =>
  bin?.node !== undefined && [os].flat().includes(process.platform) && [cpu].flat().includes(process.arch);

function installIsCurrent() {
  try {
    const wanted = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
    return isInstalled(wanted, JSON.parse(readFileSync(join(ROOT, 'node_modules', '.package-lock.json'), 'utf8')));
  } catch {
    return false;
  }
}

export function ensureInstalled() {
  if (installIsCurrent()) return;
  withLock(join(CACHE, 'install.lock'), () => {
    if (installIsCurrent()) return; // another process installed them while we waited for the lock
    console.error('Installing dependencies…');
    // Not `npm ci`: it rejects a lockfile without the optional packages of other platforms, and npm can lock those only
    // if the registry has all of them at that time. `npm install` installs the locked versions as well.
    const args = ['install', '--no-save', '--include=dev', '--loglevel=error'];
    const { status, stdout, stderr, error } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8' });
    if (status === 0) return;
    console.error(`npm install failed:\n${stdout ?? ''}${stderr ?? ''}${error ?? ''}`);
    process.exit(1);
  });
}
