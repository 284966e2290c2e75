// The compose files, run by podman-compose and by docker-compose as Debian has them.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../apps/server/testing/process.ts';
import { CliUser } from '../e2e/support/cli.ts';
import { IS_LONG } from '../e2e/support/long.ts';
import { ROOT } from '../scripts/paths.mjs';
import { BUILDER, buildBuilder, buildImage, podman, run, runWell, scratchFolder, start } from './testing/containers.ts';
import { withStandIns } from './testing/stand-ins.ts';

const IMAGE = 'localhost/furoshiki-test';
const PROJECT = 'furoshiki-test';
/** Caddy makes a certificate of its own for such a name, because no authority would. */
const SITE = 'files.local';
const STORE = 'bytes.local';
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

let folder: string;
let socket: string;
let service: ReturnType<typeof start>;

beforeAll(async () => {
  buildImage(IMAGE);
  socket = join(scratchFolder(), 'podman.sock');
  service = start('podman', ['system', 'service', '--time=0', `unix://${socket}`]);
  await vi.waitUntil(() => existsSync(socket), 60_000);
}, 900_000);
afterAll(async () => {
  service.kill();
  await once(service, 'close');
});
beforeEach(() => {
  folder = scratchFolder();
});
afterEach(() => {
  const containers = podman('ps', '--all', '--quiet', `--filter=label=com.docker.compose.project=${PROJECT}`);
  if (containers !== '') run('podman', ['rm', '--force', '--time=0', '--volumes', ...containers.split('\n')]);
  run('podman', ['network', 'rm', `${PROJECT}_default`]);
  rmSync(folder, { recursive: true });
});

/** Returns what the compose program printed. */
function compose(program: string, file: string, args: string[], env: Record<string, string> = {}): string {
  const settings = { FUROSHIKI_IMAGE: IMAGE, DOCKER_HOST: `unix://${socket}`, ...env };
  return runWell(program, ['-p', PROJECT, '-f', file, ...args], { cwd: folder, env: settings });
}

/** Copies compose.yml, with another port. */
async function copyComposeFile(): Promise<{ file: string; url: string }> {
  const port = await freePort();
  const source = readFileSync(join(ROOT, 'compose.yml'), 'utf8');
  expect(source).toContain('"127.0.0.1:3000:3000"');
  writeFileSync(join(folder, 'compose.yml'), source.replace('127.0.0.1:3000:3000', `127.0.0.1:${port}:3000`));
  return { file: join(folder, 'compose.yml'), url: `http://127.0.0.1:${port}` };
}

/** Arguments of podman for a program in the network of the containers, where Caddy's certificate is not trusted. */
function inNetwork(command: string[]): string[] {
  const files = [`--volume=${folder}:/work`, `--volume=${join(ROOT, 'apps/cli/dist')}:/cli:ro`, '--workdir=/work'];
  const settings = ['NODE_TLS_REJECT_UNAUTHORIZED=0', `FUROSHIKI_SERVER=https://${SITE}`, 'HOME=/work'];
  const options = [
    '--rm',
    '--interactive',
    `--network=${PROJECT}_default`,
    ...settings.map((setting) => `--env=${setting}`),
  ];
  return ['run', ...options, ...files, BUILDER, ...command];
}

/** Returns what it printed. */
async function startInNetwork(command: string[]): Promise<string> {
  const child = start('podman', inNetwork(command));
  const [output] = await Promise.all([text(child.stdout as Readable), once(child, 'close')]);
  expect(child.exitCode).toBe(0);
  return output;
}

const furoshiki = (args: string[], input = '') =>
  run('podman', inNetwork(['node', '/cli/furoshiki.mjs', ...args]), { input });

function untilReady(): Promise<unknown> {
  const code = `fetch('https://${SITE}/readyz').then(({ status }) => process.exit(status === 200 ? 0 : 1))`;
  return vi.waitUntil(() => run('podman', inNetwork(['node', '--eval', code])).status === 0, { timeout: 120_000 });
}

const status = (url: string) =>
  fetch(`${url}/healthz`).then(
    (response) => response.status,
    () => 0,
  );

describe.each(['podman-compose', 'docker-compose'])('%s', (program) => {
  it.each([
    ['the user of the image', 10_001, {}],
    ['a user of your own', 1234, { PUID: '1234', PGID: '1234' }],
  ])('runs compose.yml with ./data of %s', async (_, owner, env) => {
    const { file, url } = await copyComposeFile();
    mkdirSync(join(folder, 'data'), { mode: 0o700 });
    chownSync(join(folder, 'data'), owner, owner);
    compose(program, file, ['up', '-d'], env);
    await expect.poll(() => status(url)).toBe(200);
    const user = await CliUser.create(url);
    const bytes = randomBytes(100_000);
    writeFileSync(user.path('a.bin'), bytes);
    const { link, key } = await user.send(['a.bin']);
    // An upgrade: the container is replaced, the data stay.
    compose(program, file, ['up', '-d', '--force-recreate'], env);
    await expect.poll(() => status(url)).toBe(200);
    expect((await user.run(['receive', link, '-o', 'in', '--quiet'], { input: key })).exitCode).toBe(0);
    expect(sha256(readFileSync(user.path('in', 'a.bin')))).toBe(sha256(bytes));
    await user.discard();
    compose(program, file, ['down'], env);
  });

  describe.runIf(IS_LONG)('with a proxy', () => {
    beforeAll(() => {
      runWell(process.execPath, [join(ROOT, 'scripts', 'pack-cli.mjs')]);
      buildBuilder();
    });

    /** Copies a file of deploy/, and a filled env.example beside it. */
    function copyDeployed(name: string): string {
      const source = readFileSync(join(ROOT, 'deploy', name), 'utf8');
      writeFileSync(join(folder, name), withStandIns(source));
      const values: Record<string, string> = {
        SITE,
        STORE,
        SECRET: 'a'.repeat(64),
        DATABASE_PASSWORD: 'b'.repeat(32),
        MAX_STORED_BYTES: '5GB',
        S3_ACCESS_KEY_ID: 'GKtest',
        S3_SECRET_ACCESS_KEY: 'c'.repeat(64),
        STORE_RPC_SECRET: 'd'.repeat(64),
      };
      const example = readFileSync(join(ROOT, 'deploy', 'env.example'), 'utf8');
      writeFileSync(
        join(folder, '.env'),
        example.replaceAll(/^(\w+)=.*$/gmu, (_, key: string) => `${key}=${values[key]}`),
      );
      return join(folder, name);
    }

    /** The doctor inside of the network reaches the public address. */
    function expectHealthy(file: string, service: string, ...args: string[]): void {
      const command = ['node', 'admin.mjs', 'doctor', ...args];
      const env = ['-e', 'NODE_TLS_REJECT_UNAUTHORIZED=0'];
      // docker-compose 1.29 prints nothing of a command that podman runs.
      const output =
        program === 'docker-compose'
          ? podman('exec', ...env, `${PROJECT}_${service}_1`, ...command)
          : compose(program, file, ['exec', '-T', ...env, service, ...command]);
      expect(output).toMatch(/^ok {6}reachable: /mu);
      expect(output).toMatch(/^nothing is wrong$/mu);
    }

    it('runs compose.one.yml', async () => {
      const file = copyDeployed('compose.one.yml');
      compose(program, file, ['up', '-d']);
      await untilReady();
      const bytes = randomBytes(30_000_000);
      writeFileSync(join(folder, 'a.bin'), bytes);
      const sent = furoshiki(['send', 'a.bin', '--quiet']);
      const [link = '', key = ''] = sent.stdout.split('\n');
      expect(link).toMatch(new RegExp(`^https://${SITE}/download/`, 'u'));
      expect(furoshiki(['receive', link, '-o', 'in', '--quiet'], key)).toMatchObject({ status: 0 });
      expect(sha256(readFileSync(join(folder, 'in', 'a.bin')))).toBe(sha256(bytes));
      expectHealthy(file, 'furoshiki');
      compose(program, file, ['down']);
    });

    it('runs compose.many.yml, and replaces one server after the other during an upload', async () => {
      const file = copyDeployed('compose.many.yml');
      compose(program, file, ['up', '-d']);
      await untilReady();
      // Here no DNS knows the second name of the proxy.
      podman('network', 'disconnect', `${PROJECT}_default`, SITE);
      podman('network', 'connect', `--alias=proxy`, `--alias=${STORE}`, `${PROJECT}_default`, SITE);
      await untilReady();
      expectHealthy(file, 'furoshiki-1', '--fix');
      const bytes = randomBytes(200_000_000);
      writeFileSync(join(folder, 'a.bin'), bytes);
      const sending = startInNetwork(['node', '/cli/furoshiki.mjs', 'send', 'a.bin', '--quiet']);
      for (const server of ['furoshiki-1', 'furoshiki-2']) {
        compose(program, file, ['up', '-d', '--no-deps', '--force-recreate', server]);
        const health = ['exec', `${PROJECT}_${server}_1`, 'node', 'is-healthy.mjs', 'readyz'];
        await vi.waitUntil(() => run('podman', health).status === 0, { timeout: 60_000 });
      }
      const [link = '', key = ''] = (await sending).split('\n');
      expect(furoshiki(['receive', link, '-o', 'in', '--quiet'], key)).toMatchObject({ status: 0 });
      expect(sha256(readFileSync(join(folder, 'in', 'a.bin')))).toBe(sha256(bytes));
      compose(program, file, ['down']);
    });
  });
});
