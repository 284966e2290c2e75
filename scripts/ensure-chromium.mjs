// Finds the system's Chromium, and installs it if possible.
import { findProgram, installDebianPackages, isExecutable } from './ensure-debian-packages.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];

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

/** @returns {string | undefined} */
export function findChromium() {
  const { CHROMIUM_PATH } = process.env;
  if (CHROMIUM_PATH) return isExecutable(CHROMIUM_PATH) ? CHROMIUM_PATH : undefined;
  return findProgram(...NAMES);
}

/** @returns {string | undefined} why there is no Chromium, or undefined if there is one */
export function ensureChromium() {
  if (findChromium()) return undefined;
  if (process.env.CHROMIUM_PATH) return 'CHROMIUM_PATH names no executable file';
  const reason = installDebianPackages(['chromium']);
  if (findChromium()) return undefined;
  return `no Chromium found; install it or set CHROMIUM_PATH (${reason ?? 'its package has none'})`;
}
