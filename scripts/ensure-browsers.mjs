// Finds the other browsers and the drivers for tests without Playwright, and installs them if possible.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, installDebianPackages, isExecutable } from './ensure-debian-packages.mjs';

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
