// Installs one version of npm, for tests.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { CACHE } from './paths.mjs';

/** Those of Node 20 and 22, and the newest one, with their hashes. */
const INTEGRITY = {
  '10.8.2': 'sha512-x/AIjFIKRllrhcb48dqUNAAZl0ig9+qMuN91RpZo3Cb2+zuibfh+KISl6+kVVyktDz230JKc208UkQwwMqyB+w==',
  '10.9.9': 'sha512-1g+6jLQvaIuB4zwvHL7yrXuXcWZwDsCtBX8bbWDqbvJSSr9nPiDDWTHNgwXR27iIcTTW7v3A57hDW9RYv2W4Yg==',
  '12.2.0': 'sha512-ZsJjKpTnlmSXOLLXiU1xDCzC4Wlok4IwZmh/aw2KUuXytU7q6qMv/cUT7MoeSf95Slwuw/lRXYefGzGCspHPNQ==',
};

/** @typedef {keyof typeof INTEGRITY} NpmVersion */

export const NPM_VERSIONS = /** @type {NpmVersion[]} */ (Object.keys(INTEGRITY));

/**
 * @param {NpmVersion} version
 * @returns {string} the folder with its programs
 */
export function npmFolder(version) {
  const folder = join(CACHE, `npm-${version}`);
  const bin = join(folder, 'node_modules', '.bin');
  withLock(`${folder}.lock`, () => {
    if (existsSync(bin)) return;
    mkdirSync(folder, { recursive: true });
    const description = { name: 'npm-for-tests', dependencies: { npm: version } };
    const npm = { version, integrity: INTEGRITY[version], bin: { npm: 'bin/npm-cli.js', npx: 'bin/npx-cli.js' } };
    const packages = { '': description, 'node_modules/npm': npm };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(description));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
    const { status, stderr } = spawnSync('npm', ['ci', '--ignore-scripts', '--loglevel=error'], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`npm ${version} could not be installed: ${stderr}`);
  });
  return bin;
}
