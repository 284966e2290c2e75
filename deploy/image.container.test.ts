// The image: built by buildah, run by podman with nothing but what the compose files give it, and used.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../apps/server/testing/process.ts';
import { TcpProxy } from '../apps/server/testing/tcp-proxy.ts';
import { CliUser } from '../e2e/support/cli.ts';
import { IS_LONG } from '../e2e/support/long.ts';
import { ROOT } from '../scripts/paths.mjs';
import { buildImage, podman, run, runWell, scratchFolder, start, untilHealthy } from './testing/containers.ts';

const IMAGE = 'localhost/furoshiki-test';
const CONTAINER = 'furoshiki-test';
/** As in compose.yml. */
const HARDENED = ['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges'];
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

let folder: string;
let port: number;
let user: CliUser;

// On a busy machine that has to install everything first, a build takes minutes.
beforeAll(() => buildImage(IMAGE), 900_000);
beforeEach(async () => {
  folder = scratchFolder();
  port = await freePort();
  user = await CliUser.create(`http://127.0.0.1:${port}`);
});
afterEach(async () => {
  run('podman', ['rm', '--force', '--time=0', CONTAINER]);
  await user.discard();
  rmSync(folder, { recursive: true });
});
afterAll(() => void run('podman', ['volume', 'prune', '--force']));

/** Creates the folder that is mounted at /data. */
function makeData(owner: number): string {
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, owner, owner);
  return data;
}

async function startContainer(data: string, image = IMAGE): Promise<void> {
  const places = [`--publish=127.0.0.1:${port}:3000`, `--volume=${data}:/data`];
  podman('run', '--detach', `--name=${CONTAINER}`, ...HARDENED, ...places, image);
  await untilHealthy(CONTAINER);
}

async function expectReceived({ link, key }: { link: string; key: string }, name: string, hash: string): Promise<void> {
  const { exitCode, stderr } = await user.run(['receive', link, '-o', 'in', '--force'], { input: key });
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining(`Saved: ${user.path('in', name)}`)]);
  expect(sha256(readFileSync(user.path('in', name)))).toBe(hash);
}

it('has a user, a health check, labels and the commit, and is small', () => {
  const [{ Config: config }] = JSON.parse(podman('inspect', '--type=image', IMAGE)) as [
    { Config: { User: string; Labels: Record<string, string>; Volumes: object; Env: string[] } },
  ];
  expect(config).toMatchObject({ User: '10001:10001', Volumes: { '/data': {} } });
  expect(config.Labels).toMatchObject({
    'org.opencontainers.image.title': 'Furoshiki',
    'org.opencontainers.image.licenses': 'MIT',
  });
  const record = podman(
    'run',
    '--rm',
    IMAGE,
    'node',
    '--print',
    'require("fs").readFileSync("web/build.json", "utf8")',
  );
  const changes = runWell('git', ['status', '--porcelain', 'apps/web', 'packages', 'package-lock.json'], { cwd: ROOT });
  const commit = changes === '' ? runWell('git', ['rev-parse', 'HEAD'], { cwd: ROOT }) : null;
  expect((JSON.parse(record) as { commit: string | null }).commit).toBe(commit);

  runWell('buildah', ['push', '--quiet', IMAGE, `oci:${folder}/oci`]);
  const blobs = join(folder, 'oci', 'blobs', 'sha256');
  const compressed = readdirSync(blobs).reduce((sum, name) => sum + statSync(join(blobs, name)).size, 0);
  expect(compressed).toBeLessThan(80_000_000);
});

it('has no shell, no package manager, no setuid program, and no program but Node', () => {
  const list = `
    const { readdirSync, lstatSync } = require('fs');
    const skipped = ['/proc', '/sys', '/dev', '/run', '/data', '/etc/mtab', '/etc/hosts', '/etc/hostname', '/etc/resolv.conf'];
    const walk = (folder) => readdirSync(folder || '/').flatMap((name) => {
      const path = folder + '/' + name;
      const stat = lstatSync(path);
      return skipped.includes(path) ? [] : stat.isDirectory() ? walk(path) : [[path, stat.mode, stat.uid]];
    });
    console.log(JSON.stringify(walk('')));`;
  const user = ['--user=0', ...HARDENED];
  const files = JSON.parse(podman('run', '--rm', ...user, IMAGE, 'node', '--eval', list)) as [string, number, number][];
  expect(files.length).toBeGreaterThan(400);
  expect(files.filter(([, mode]) => (mode & 0o6000) !== 0)).toEqual([]);
  expect(files.filter(([, , owner]) => owner !== 0)).toEqual([]);
  const programs = files.filter(([path, mode]) => (mode & 0o111) !== 0 && !/\.so(\.|$)/u.test(path));
  expect(programs.map(([path]) => path)).toEqual(['/app/bin/node']);
});

it('sends and receives, keeps its files when it is replaced, and stops on SIGTERM', async () => {
  const bytes = randomBytes(3_000_000);
  const data = makeData(10_001);
  await startContainer(data);
  writeFileSync(user.path('a.bin'), bytes);
  const sent = await user.send(['a.bin', '--downloads', '5']);
  await expectReceived(sent, 'a.bin', sha256(bytes));
  expect(podman('exec', CONTAINER, 'node', 'admin.mjs', 'stats')).toContain('live files: 1\n');

  podman('stop', CONTAINER);
  expect(podman('inspect', '--format={{.State.ExitCode}}', CONTAINER)).toBe('0');
  podman('rm', CONTAINER);
  // Another version of the image, with the same data.
  const other = `${IMAGE}-other`;
  const builder = runWell('buildah', ['from', IMAGE]);
  runWell('buildah', ['config', '--label=org.opencontainers.image.version=9.9.9', builder]);
  runWell('buildah', ['commit', '--quiet', '--rm', '--format=docker', builder, other]);
  await startContainer(data, other);
  await expectReceived(sent, 'a.bin', sha256(bytes));
});

it('is backed up while it runs, and restored into an empty folder', async () => {
  const bytes = randomBytes(3_000_000);
  const data = makeData(10_001);
  await startContainer(data);
  writeFileSync(user.path('a.bin'), bytes);
  const sent = await user.send(['a.bin']);
  const backup = join(folder, 'backup.tar');
  runWell('sh', ['-c', `podman exec ${CONTAINER} node admin.mjs backup - >${backup}`]);
  podman('rm', '--force', '--time=0', CONTAINER);
  rmSync(data, { recursive: true });
  makeData(10_001);
  const restore = ['run', '--rm', '--interactive', ...HARDENED, `--volume=${data}:/data`, IMAGE];
  runWell('sh', ['-c', `podman ${restore.join(' ')} node admin.mjs restore - <${backup}`]);
  await startContainer(data);
  await expectReceived(sent, 'a.bin', sha256(bytes));
});

it('names the command that makes a folder of another user usable', () => {
  const { status, stderr } = run('podman', ['run', '--rm', ...HARDENED, `--volume=${makeData(0)}:/data`, IMAGE]);
  expect([status, stderr]).toEqual([1, expect.stringContaining('chown -R 10001:10001')]);
});

it('is stopped during an upload, and the upload continues in the next container', async () => {
  const bytes = randomBytes(60_000_000);
  await startContainer(makeData(10_001));
  const proxy = await TcpProxy.start(port);
  writeFileSync(user.path('big.bin'), bytes);
  const sending = user.start(['send', 'big.bin', '--quiet', '--server', proxy.url]);
  await expect.poll(() => proxy.bytes.toServer, { interval: 1 }).toBeGreaterThan(5_000_000);
  proxy.freeze();
  const stopping = once(start('podman', ['stop', CONTAINER]), 'close');
  const isOpen = () => fetch(`http://127.0.0.1:${port}/healthz`).then(Boolean, () => false);
  await expect.poll(isOpen).toBe(false);
  proxy.thaw();
  expect(await stopping).toEqual([0, null]);
  expect(sending.process.exitCode).toBeNull();
  podman('start', CONTAINER);
  const { exitCode, stdout, stderr } = await sending.ended;
  expect([exitCode, stderr]).toEqual([0, '']);
  const [link = '', key = ''] = stdout.toString().split('\n');
  await expectReceived({ link, key }, 'big.bin', sha256(bytes));
  await proxy.discard();
});

/** Empty instead of skipped in `npm test`: CI counts a skipped test as failed. */
const OTHER_PLATFORMS = IS_LONG ? [process.arch === 'arm64' ? 'amd64' : 'arm64'] : [];

describe.each(OTHER_PLATFORMS)('for linux/%s', (other) => {
  const tag = `${IMAGE}-${other}`;
  const emulator = `/usr/bin/qemu-${other === 'amd64' ? 'x86_64' : 'aarch64'}-static`;
  // The buildah of Debian 12 does not set it.
  const here = `BUILDPLATFORM=linux/${process.arch.replace('x64', 'amd64')}`;
  beforeAll(() => buildImage(tag, `--platform=linux/${other}`, '--build-arg', here), 900_000);

  it('serves, sends and receives under an emulator', async () => {
    const bytes = randomBytes(3_000_000);
    const places = [`--publish=127.0.0.1:${port}:3000`, `--volume=${makeData(10_001)}:/data`];
    const emulated = [`--volume=${emulator}:/emulator:ro`, '--entrypoint=/emulator', '--no-healthcheck'];
    const command = ['/app/bin/node', '/app/server.mjs'];
    podman('run', '--detach', `--name=${CONTAINER}`, ...HARDENED, ...places, ...emulated, tag, ...command);
    await vi.waitUntil(
      () =>
        fetch(`http://127.0.0.1:${port}/healthz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      { timeout: 120_000 },
    );
    expect(podman('inspect', '--type=image', '--format={{.Architecture}}', tag)).toBe(other);
    writeFileSync(user.path('a.bin'), bytes);
    await expectReceived(await user.send(['a.bin']), 'a.bin', sha256(bytes));
  });
});
