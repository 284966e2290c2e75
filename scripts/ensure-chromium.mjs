// Finds the system's Chromium, and installs it if possible.
import { findProgram, installDebianPackages, isExecutable } from './ensure-debian-packages.mjs';

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
