// Installs the dependencies when node_modules is missing or is not what package-lock.json asks for.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { CACHE, ROOT } from './paths.mjs';

/**
 * @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean }} LockedPackage
 * @typedef {{ packages: Record<string, LockedPackage> }} Lockfile
 */

/**
 * npm keeps in node_modules a lockfile of what it really put there, and writes it last. Comparing contents needs no
 * stamp of our own and stays right when somebody runs `npm install` by hand.
 * @param {Lockfile} wanted
 * @param {Lockfile} installed
 */
export function isInstalled(wanted, installed) {
  return Object.entries(wanted.packages).every(([path, want]) => {
    if (!path.includes('node_modules/')) return true; // the root and the workspaces themselves
    const have = installed.packages[path];
    if (!have) return want.optional === true; // built for another platform
    return want.link ? have.link === true : have.version === want.version && have.integrity === want.integrity;
  });
}

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
    if (installIsCurrent()) return; // the process that we waited for did it
    console.error('Installing dependencies…');
    // Not `npm ci`: it refuses a lockfile that lacks optional packages of other platforms, and a lockfile can hold those
    // only where the registry had them all when it was written. This installs the locked versions all the same.
    const args = ['install', '--no-save', '--include=dev', '--loglevel=error'];
    const { status, stdout, stderr, error } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8' });
    if (status === 0) return;
    console.error(`npm install failed:\n${stdout ?? ''}${stderr ?? ''}${error ?? ''}`);
    process.exit(1);
  });
}
