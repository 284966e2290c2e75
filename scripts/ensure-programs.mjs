// Finds programs of the system (tools, browsers, containers), and installs Debian packages for missing ones if possible.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { CACHE } from './paths.mjs';

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

const HEADLESS = 'chromium-headless-shell';
const FULL = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];

// The last four stop the browser's own background requests, so that it connects only to the server under test.
export const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** @returns {string | undefined} the browser that people use; for benchmarks and images */
export function findChromium() {
  return findByPathOrName(...FULL);
}

/** @returns {string | undefined} Chromium without its user interface: tests take a quarter less time in it */
export function findHeadlessChromium() {
  return findByPathOrName(HEADLESS, ...FULL);
}

/** @param {string[]} names */
function findByPathOrName(...names) {
  const { CHROMIUM_PATH } = process.env;
  if (CHROMIUM_PATH) return isExecutable(CHROMIUM_PATH) ? CHROMIUM_PATH : undefined;
  return findProgram(...names);
}

/** @returns {string | undefined} why there is no Chromium, or undefined if there is one */
export function ensureChromium() {
  if (process.env.CHROMIUM_PATH) return findChromium() ? undefined : 'CHROMIUM_PATH names no executable file';
  if (findProgram(HEADLESS)) return undefined;
  const reason = installDebianPackages([HEADLESS]);
  if (findHeadlessChromium()) return undefined;
  return `no Chromium found; install it or set CHROMIUM_PATH (${reason ?? 'its package has none'})`;
}

/** Maps each program to the Debian package that contains it. */
const PACKAGE_OF = {
  chromedriver: 'chromium-driver',
  'firefox-esr': 'firefox-esr',
  WebKitWebDriver: 'webkit2gtk-driver',
  Xvfb: 'xvfb',
  'dbus-daemon': 'dbus',
};
const LIBRARIES = '/usr/lib';

/** @returns {string | undefined} the test browser of WebKitGTK, which is beside its library and not on the PATH */
export function findMiniBrowser() {
  return readdirSync(LIBRARIES)
    .flatMap((folder) => ['4.1', '4.0'].map((api) => join(LIBRARIES, folder, `webkit2gtk-${api}`, 'MiniBrowser')))
    .find(isExecutable);
}

/** @returns {string | undefined} why some are missing, or undefined if none is */
export function ensureOtherBrowsers() {
  const missing = Object.entries(PACKAGE_OF).filter(([program]) => !findProgram(program));
  if (missing.length === 0) return undefined;
  const reason = installDebianPackages(missing.map(([, name]) => name));
  return reason === undefined ? undefined : `${missing.map(([name]) => name).join(' and ')} not found (${reason})`;
}

/** Maps each program to the Debian packages that it needs. @type {Record<string, string[]>} */
const PACKAGES_OF = {
  podman: ['podman', 'runc', 'netavark', 'aardvark-dns', 'iptables', 'catatonit'],
  buildah: ['buildah'],
  mmdebstrap: ['mmdebstrap'],
  'systemd-nspawn': ['systemd-container'],
  'podman-compose': ['podman-compose'],
  'docker-compose': ['docker-compose'],
  'qemu-x86_64-static': ['qemu-user-static'],
};
/** Only `npm run test:long` needs them. */
const LONG = new Set(['docker-compose', 'qemu-x86_64-static']);

/** @param {boolean} isLong @returns {string | undefined} why containers cannot run here, or undefined if they can */
export function ensureContainers(isLong) {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux can run them';
  const programs = Object.keys(PACKAGES_OF).filter((name) => isLong || !LONG.has(name));
  const missing = programs.filter((name) => !findProgram(name));
  const reason =
    missing.length > 0 ? installDebianPackages(missing.flatMap((name) => PACKAGES_OF[name] ?? [])) : undefined;
  if (reason !== undefined) return `${missing.join(', ')} not found (${reason})`;
  return canMount() ? undefined : 'this machine cannot mount an overlay in a namespace of its own';
}

/** Containers need both. A sandbox often has neither. */
function canMount() {
  const folder = join(CACHE, 'deploy', 'mount-test');
  for (const name of ['lower', 'upper', 'work', 'merged']) mkdirSync(join(folder, name), { recursive: true });
  const options = `lowerdir=${folder}/lower,upperdir=${folder}/upper,workdir=${folder}/work`;
  const mount = ['mount', '-t', 'overlay', 'overlay', '-o', options, `${folder}/merged`];
  const { status } = spawnSync('unshare', ['--mount', '--pid', '--net', '--fork', ...mount]);
  rmSync(folder, { recursive: true });
  return status === 0;
}
