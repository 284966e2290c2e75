// Finds the other browsers, and the drivers that every test without Playwright needs, and installs them where that is possible.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, installDebianPackages, isExecutable } from './ensure-debian-packages.mjs';

/** Programs, and the packages that bring them. */
const PACKAGE_OF = {
  chromedriver: 'chromium-driver',
  'firefox-esr': 'firefox-esr',
  WebKitWebDriver: 'webkit2gtk-driver',
  Xvfb: 'xvfb',
  'dbus-daemon': 'dbus',
};
const LIBRARIES = '/usr/lib';

/** The window that shows WebKitGTK: it lies beside its library, and not on anybody's PATH. @returns {string | undefined} */
export function findMiniBrowser() {
  return readdirSync(LIBRARIES)
    .flatMap((folder) => ['4.1', '4.0'].map((api) => join(LIBRARIES, folder, `webkit2gtk-${api}`, 'MiniBrowser')))
    .find(isExecutable);
}

/** @returns {string | undefined} the reason why some are missing, or nothing when all are there */
export function ensureOtherBrowsers() {
  const missing = Object.entries(PACKAGE_OF).filter(([program]) => !findProgram(program));
  if (missing.length === 0) return undefined;
  const reason = installDebianPackages(missing.map(([, name]) => name));
  return reason === undefined ? undefined : `${missing.map(([name]) => name).join(' and ')} not found (${reason})`;
}
