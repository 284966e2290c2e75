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

/** @param {string[]} args */
function npm(...args) {
  const run = spawnSync('npm', [...args, '--include=dev', '--loglevel=error'], { cwd: ROOT, encoding: 'utf8' });
  return { ok: run.status === 0, output: `${run.stdout ?? ''}${run.stderr ?? ''}${run.error ?? ''}` };
}

export function ensureInstalled() {
  if (installIsCurrent()) return;
  withLock(join(CACHE, 'install.lock'), () => {
    if (installIsCurrent()) return; // the process that we waited for did it
    console.error('Installing dependencies…');
    const clean = npm('ci');
    if (clean.ok) return;
    // A registry that lacks the packages of other platforms leaves a lockfile that `npm ci` finds incomplete.
    console.error('npm ci refused; trying npm install, which leaves the lockfile as it is…');
    const loose = npm('install', '--no-save');
    if (loose.ok) return;
    console.error(`npm ci:\n${clean.output}\nnpm install:\n${loose.output}`);
    process.exit(1);
  });
}
