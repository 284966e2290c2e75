// Finds the system's Chromium, and installs it where that is possible.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];

// The last four keep the browser from calling home, so that a test talks to nobody but the server under test.
export const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @returns {string | undefined} */
export function findChromium() {
  const { CHROMIUM_PATH, PATH = '' } = process.env;
  if (CHROMIUM_PATH) return isExecutable(CHROMIUM_PATH) ? CHROMIUM_PATH : undefined;
  const folders = PATH.split(delimiter).filter(Boolean);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/** @returns {string | undefined} the reason why there is no Chromium, or nothing when there is one */
export function ensureChromium() {
  if (findChromium()) return undefined;
  if (process.env.CHROMIUM_PATH) return 'CHROMIUM_PATH names no executable file';
  const advice = 'no Chromium found; install it or set CHROMIUM_PATH';
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).error) return advice;

  console.log('No Chromium found: installing it with apt-get.');
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
    const run = spawnSync('apt-get', args, {
      encoding: 'utf8',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    if (run.status !== 0) return `${advice} (apt-get ${args[0]} failed: ${run.stderr.trim().split('\n').at(-1)})`;
  }
  return findChromium() ? undefined : advice;
}
