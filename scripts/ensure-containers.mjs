// Finds what containers and a systemd of their own need for the tests of deploy/, and installs it if possible.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, installDebianPackages } from './ensure-debian-packages.mjs';
import { CACHE } from './paths.mjs';

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
