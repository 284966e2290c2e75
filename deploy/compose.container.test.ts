// The compose files, run by podman-compose and by docker-compose as Debian has them.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
const VOLUMES = ['data', 'certificates', 'database', 'store'];
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
  run('podman', ['volume', 'rm', '--force', ...VOLUMES.map((name) => `${PROJECT}_${name}`)]);
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

/**
 * Arguments of podman for a program in the network of the containers, where Caddy's certificate is not trusted. The public
 * names are looked up here: for a moment after a container has ended, podman's DNS finds none.
 */
function inNetwork(command: string[]): string[] {
  const hosts = [SITE, STORE].flatMap((name) => {
    const { status, stdout } = run('podman', [
      'inspect',
      '--format={{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}',
      name,
    ]);
    return status === 0 ? [`--add-host=${name}:${stdout.trim()}`] : [];
  });
  const files = [`--volume=${folder}:/work`, `--volume=${join(ROOT, 'apps/cli/dist')}:/cli:ro`, '--workdir=/work'];
  const settings = [
    'NODE_TLS_REJECT_UNAUTHORIZED=0',
    'NODE_NO_WARNINGS=1',
    `FUROSHIKI_SERVER=https://${SITE}`,
    'HOME=/work',
  ];
  const options = [
    '--rm',
    '--interactive',
    `--network=${PROJECT}_default`,
    ...settings.map((setting) => `--env=${setting}`),
  ];
  return ['run', ...options, ...hosts, ...files, BUILDER, ...command];
}

/** Returns what it printed. */
async function startInNetwork(command: string[]): Promise<string> {
  const child = start('podman', inNetwork(command));
  const streams = [child.stdout, child.stderr] as [Readable, Readable];
  const [output = '', errors] = await Promise.all(streams.map((stream) => text(stream)));
  if (child.exitCode === null) await once(child, 'close');
  expect([child.exitCode, errors]).toEqual([0, '']);
  return output;
}

const furoshiki = (args: string[], input = '') =>
  run('podman', inNetwork(['node', '/cli/furoshiki.mjs', ...args]), { input });

function untilReady(): Promise<unknown> {
  const code = `fetch('https://${SITE}/readyz').then(({ status }) => process.exit(status === 200 ? 0 : 1))`;
  return vi.waitUntil(() => run('podman', inNetwork(['node', '--eval', code])).status === 0, { timeout: 120_000 });
}

/** As deploy/README.md says, before the next server is replaced. */
function untilServerReady(service: string): Promise<unknown> {
  const command = ['exec', `${PROJECT}_${service}_1`, 'node', 'is-healthy.mjs', 'readyz'];
  return vi.waitUntil(() => run('podman', command).status === 0, { timeout: 120_000 });
}

const status = (url: string) =>
  fetch(`${url}/healthz`).then(
    (response) => response.status,
    () => 0,
  );

/** `npm test` has no time for both. */
const PROGRAMS = IS_LONG ? ['podman-compose', 'docker-compose'] : ['podman-compose'];

/** Empty instead of skipped in `npm test`: CI counts a skipped test as failed. */
const WITH_PROXY = IS_LONG ? ['with a proxy'] : [];

describe.each(PROGRAMS)('%s', (program) => {
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

  describe.each(WITH_PROXY)('%s', () => {
    beforeAll(() => {
      runWell(process.execPath, [join(ROOT, 'tools', 'release', 'pack-cli.mjs')]);
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

    /**
     * The doctor inside of the network reaches the public address. It is repeated, because podman's DNS finds no name for a
     * moment after another container has ended.
     */
    const expectHealthy = (file: string, service: string, ...args: string[]) =>
      vi.waitFor(() => examine(file, service, ...args), { timeout: 60_000 });

    function examine(file: string, service: string, ...args: string[]): void {
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
      await expectHealthy(file, 'furoshiki');
      compose(program, file, ['down']);
    });

    it('runs compose.many.yml, and replaces one server after the other during uploads', async () => {
      const file = copyDeployed('compose.many.yml');
      compose(program, file, ['up', '-d']);
      for (const server of ['furoshiki-1', 'furoshiki-2']) await untilServerReady(server);
      await untilReady();
      await expectHealthy(file, 'furoshiki-1', '--fix');
      const bytes = randomBytes(30_000_000);
      writeFileSync(join(folder, 'a.bin'), bytes);
      // Sends without a pause, until the file `enough` is there.
      const loop = 'until [ -e enough ]; do node /cli/furoshiki.mjs send a.bin --quiet || exit 1; done';
      const sending = startInNetwork(['sh', '-c', loop]);
      for (const server of ['furoshiki-1', 'furoshiki-2']) {
        compose(program, file, ['up', '-d', '--no-deps', '--force-recreate', server]);
        await untilServerReady(server);
      }
      writeFileSync(join(folder, 'enough'), '');
      const lines = (await sending).trim().split('\n');
      expect(lines.length).toBeGreaterThan(4);
      for (let index = 0; index < lines.length; index += 2) {
        const [link = '', key = ''] = lines.slice(index);
        expect(furoshiki(['receive', link, '-o', `${index}`, '--quiet'], key)).toMatchObject({ status: 0 });
        expect(sha256(readFileSync(join(folder, `${index}`, 'a.bin')))).toBe(sha256(bytes));
        rmSync(join(folder, `${index}`), { recursive: true });
      }
      compose(program, file, ['down']);
    });
  });
});
