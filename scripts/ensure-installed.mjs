// Installs the dependencies if node_modules is missing or differs from package-lock.json.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { withLock } from './lock.mjs';
import { BIN, CACHE, NODE, ROOT } from './paths.mjs';

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

const readJson = (/** @type {string} */ name) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));

function installIsCurrent() {
  try {
    return isInstalled(readJson('package-lock.json'), readJson('node_modules/.package-lock.json'));
  } catch {
    return false;
  }
}

/**
 * All locked packages of Node have a program of the same name. npm below 11.6 removes its link together with the packages
 * of the other platforms, so it may be missing although the package of this platform is there.
 */
function linkNode() {
  const ours = Object.entries(/** @type {Lockfile} */ (readJson('package-lock.json')).packages).find(([, locked]) =>
    isOurNode(locked),
  );
  if (!ours || existsSync(NODE)) return;
  const [path, { bin }] = ours;
  const program = join(ROOT, path, bin?.node ?? '');
  if (!existsSync(program)) return; // npm has rejected it: onPinnedNode says so
  rmSync(NODE, { force: true }); // a link to a package that is no longer there
  symlinkSync(relative(BIN, program), NODE);
}

function install() {
  console.error('Installing dependencies…');
  // Not `npm ci`: it rejects a lockfile without the optional packages of other platforms, and npm can lock those only
  // if the registry has all of them at that time. `npm install` installs the locked versions as well.
  const args = ['install', '--no-save', '--include=dev', '--loglevel=error'];
  const { status, stdout, stderr, error } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8' });
  if (status === 0) return;
  console.error(`npm install failed:\n${stdout ?? ''}${stderr ?? ''}${error ?? ''}`);
  process.exit(1);
}

export function ensureInstalled() {
  if (installIsCurrent() && existsSync(NODE)) return;
  withLock(join(CACHE, 'install.lock'), () => {
    if (!installIsCurrent()) install(); // another process may have done so while we waited for the lock
    linkNode();
  });
}
