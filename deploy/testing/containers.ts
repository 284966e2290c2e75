// Containers without a registry: a Debian that mmdebstrap makes is the base, and storage and settings are the tests' own.
import { type ChildProcess, spawn, spawnSync, type SpawnSyncOptions } from 'node:child_process';
import { cpSync, existsSync, linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLock } from '../../scripts/lock.mjs';
import { npmFolder } from '../../scripts/npm-folder.mjs';
import { CACHE, ROOT } from '../../scripts/paths.mjs';

const FOLDER = join(CACHE, 'deploy');
export const BUILDER = 'localhost/furoshiki-test-builder';
/** Needed by the build, by Node, and by a machine that boots and runs `systemd-run`. */
const PACKAGES = ['ca-certificates', 'git', 'libatomic1', 'systemd', 'systemd-sysv', 'dbus'];
/** Of the machine that runs the tests: it may be behind a proxy with a certificate of its own. */
export const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

export interface Result {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Makes podman, buildah and podman-compose use a storage of their own, and limits that any root may set. */
function environment(): NodeJS.ProcessEnv {
  const file = (name: string, text: string) => {
    writeFileSync(join(FOLDER, name), text);
    return join(FOLDER, name);
  };
  mkdirSync(FOLDER, { recursive: true });
  return {
    ...process.env,
    CONTAINERS_CONF: file(
      'containers.conf',
      '[containers]\ndefault_ulimits = ["nofile=10000:10000", "nproc=5000:5000"]\n[engine]\nruntime = "runc"\n',
    ),
    CONTAINERS_STORAGE_CONF: file(
      'storage.conf',
      `[storage]\ndriver = "overlay"\ngraphroot = "${join(FOLDER, 'storage')}"\nrunroot = "/run/furoshiki-test-containers"\n`,
    ),
  };
}

export function run(program: string, args: string[], options: SpawnSyncOptions = {}): Result {
  const env = { ...environment(), ...options.env };
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    ...options,
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  });
  return { status, stdout, stderr: `${stderr}${error?.message ?? ''}` };
}

/** Returns what the program printed. Throws if it failed. */
export function runWell(...args: Parameters<typeof run>): string {
  const { status, stdout, stderr } = run(...args);
  if (status !== 0)
    throw new Error(`${args[0]} ${args[1].slice(0, 3).join(' ')} failed: ${(stdout + stderr).slice(-3000)}`);
  return stdout.trim();
}

export const podman = (...args: string[]) => runWell('podman', args);

export const start = (program: string, args: string[]): ChildProcess =>
  spawn(program, args, { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });

/** Returns an archive of a small Debian 12. It is made once. */
export function debianArchive(): string {
  const archive = join(FOLDER, 'debian.tar');
  mkdirSync(FOLDER, { recursive: true });
  withLock(`${archive}.lock`, () => {
    if (existsSync(archive)) return;
    const excluded = ['doc', 'locale', 'man'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);
    const options = ['--variant=apt', `--include=${PACKAGES.join(',')}`, ...excluded];
    runWell('mmdebstrap', ['--quiet', ...options, 'bookworm', `${archive}.part.tar`]);
    renameSync(`${archive}.part.tar`, archive);
  });
  return archive;
}

/** A stand-in for the official image of Node: Debian, the pinned Node, and npm of the oldest supported version. */
export function buildBuilder(): void {
  if (run('podman', ['image', 'exists', BUILDER]).status === 0) return;
  const context = mkdtempSync(join(FOLDER, 'builder-'));
  try {
    linkSync(debianArchive(), join(context, 'debian.tar'));
    cpSync(process.execPath, join(context, 'node'));
    cpSync(join(npmFolder('10.8.2'), '..', 'npm'), join(context, 'npm'), { recursive: true });
    cpSync(CERTIFICATES, join(context, 'certificates.crt'));
    const lines = [
      'FROM scratch',
      'ADD debian.tar /',
      'COPY node /usr/local/bin/node',
      'COPY npm /usr/local/lib/npm',
      `COPY certificates.crt ${CERTIFICATES}`,
      'RUN ln -s ../lib/npm/bin/npm-cli.js /usr/local/bin/npm',
      `ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}`,
    ];
    writeFileSync(join(context, 'Containerfile'), `${lines.join('\n')}\n`);
    runWell('buildah', ['build', '--quiet', '--tag', BUILDER, context]);
  } finally {
    rmSync(context, { recursive: true });
  }
}

/** Builds the image from the sources as they are here, as the comment in the Containerfile says. */
export function buildImage(tag: string, ...options: string[]): void {
  buildBuilder();
  const cache = join(homedir(), '.npm');
  mkdirSync(cache, { recursive: true });
  const offline = ['--network=host', `--volume=${cache}:/root/.npm`, '--build-arg', `BUILDER=${BUILDER}`];
  const file = join(ROOT, 'deploy', 'Containerfile');
  runWell('buildah', ['build', '--layers', '--format=docker', ...offline, ...options, '-f', file, '-t', tag, ROOT]);
}

/** Waits until podman's own health check succeeds: it runs the one of the image. */
export async function untilHealthy(container: string): Promise<void> {
  while (run('podman', ['healthcheck', 'run', container]).status !== 0) {
    const state = podman('inspect', '--format={{.State.Status}}', container);
    if (state !== 'running') throw new Error(`${container} is ${state}: ${run('podman', ['logs', container]).stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export const scratchFolder = () => mkdtempSync(join(tmpdir(), 'furoshiki-deploy-'));
