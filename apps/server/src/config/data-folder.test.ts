import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canRunAs, freePort, runToExit, startServerProcess } from '../../testing/process.ts';
import { TestClient } from '../../testing/test-client.ts';
import { createTestServer } from '../../testing/test-server.ts';
import { createSqlMetadataStore } from '../adapters/sql/metadata-store.ts';
import { openSqlite } from '../adapters/sql/sqlite/sqlite.ts';
import { dataPaths, openDataFolder } from './data-folder.ts';

/** A folder after an incomplete restore: with the database and the secret, without the files. */
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'furoshiki-data-'));
  const { database, objects, unclaimed } = await openDataFolder(folder);
  await (await createSqlMetadataStore(openSqlite(database))).close();
  await rm(unclaimed);
  await rm(objects, { recursive: true });
});
afterEach(() => rm(folder, { recursive: true }));

it('is refused if the database exists but the files are missing', async () => {
  await expect(openDataFolder(folder)).rejects.toThrowError('is its disk mounted?');
});

it('needs no folder for files that are stored in a bucket', async () => {
  const S3_ENDPOINT = `http://127.0.0.1:${await freePort()}`;
  const keys = { S3_ACCESS_KEY_ID: 'key', S3_SECRET_ACCESS_KEY: 'secret' };
  const settings = { DATA_DIR: folder, S3_BUCKET: 'bucket', S3_ENDPOINT, ...keys };
  const { stderr } = await runToExit('main', [], { ...settings, MAX_STORED_BYTES: '1GB' });
  // The start got as far as the bucket, which does not respond.
  expect(stderr).toMatch(/^furoshiki: the bucket bucket cannot be used/u);
  expect(await readdir(folder)).not.toContain('objects');
  expect(await runToExit('main', [], settings)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^furoshiki: MAX_STORED_BYTES must be set together with S3_BUCKET: .+\n$/u),
  });
});

it('hides the files of a database that others could read', async () => {
  const { database } = dataPaths(folder);
  await writeFile(`${database}-wal`, '');
  for (const file of [database, `${database}-wal`]) await chmod(file, 0o644);
  await openDataFolder(folder, undefined, { bytes: false, database: true });
  for (const file of [database, `${database}-wal`]) expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it('has nothing that other users of the machine can read', async () => {
  const root = join(folder, 'new');
  const server = await startServerProcess({ DATA_DIR: root, MIN_FREE_DISK_BYTES: '0' });
  await new TestClient(server.url).send(new Uint8Array(1));
  const names = ['', ...(await readdir(root, { recursive: true }))];
  await server.stop();
  expect(names).toEqual(expect.arrayContaining(['furoshiki.db', 'secret', expect.stringMatching(/data$/u)]));
  const modes = await Promise.all(
    names.map(async (name) => [name, (await lstat(join(root, name)).catch(() => undefined))?.mode]),
  );
  expect(modes.filter(([, mode]) => (Number(mode ?? 0) & 0o077) !== 0)).toEqual([]);
});

// As the image does, whose user cannot write to a folder that root has created for it.
const USER = 10_001;

describe.skipIf(!canRunAs(USER))('of another user than the one who runs the server', () => {
  /** The folder above it can be entered by everyone. */
  let parent: string;
  let root: string;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'furoshiki-owner-'));
    await chmod(parent, 0o755);
    root = join(parent, 'data');
  });
  afterEach(() => rm(parent, { recursive: true }));

  /** The port is taken, so a start that has got that far says so. */
  async function failureOf(port: string): Promise<string> {
    const { code, stderr } = await runToExit('main', [], { DATA_DIR: root, PORT: port }, USER);
    expect([code, stderr.trimEnd().split('\n')]).toEqual([1, [expect.any(String)]]);
    return stderr;
  }

  /** Runs what the message says. */
  function obey(message: string): void {
    const [, command = ''] = /Run as root: (.+?) \(if this is a container/u.exec(message) ?? [];
    expect(command).not.toBe('');
    execFileSync('sh', ['-c', command]);
  }

  it('is refused with the exact command, and used after it', async () => {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const port = String((listener.address() as { port: number }).port);
    const onHost = `if this is a container, do so on its host, with the folder that is mounted at ${root}`;

    const missing = await failureOf(port);
    expect(missing).toBe(
      `furoshiki: DATA_DIR ${root} cannot be written (EACCES): it must belong to user ${USER}, with everything in it. ` +
        `Run as root: install -d -m 700 -o ${USER} -g ${USER} ${root} (${onHost})\n`,
    );
    await mkdir(root);
    const ofRoot = await failureOf(port);
    expect(ofRoot).toBe(
      `furoshiki: DATA_DIR ${root} cannot be written (EACCES): it must belong to user ${USER}, with everything in it. ` +
        `Run as root: chown -R ${USER}:${USER} ${root} (${onHost})\n`,
    );
    obey(ofRoot);
    expect(await failureOf(port)).toContain(`PORT ${port} on 127.0.0.1 is in use`);
    await rm(root, { recursive: true });
    obey(missing);
    expect(await failureOf(port)).toContain('is in use');
    listener.close();
  });

  it.each(['furoshiki.lock', 'furoshiki.db', 'secret', 'objects', 'objects/.furoshiki'])(
    'is refused if root owns %s, as if root had started the server or had restored it',
    async (name) => {
      const listener = createServer().listen(0, '127.0.0.1');
      await once(listener, 'listening');
      const port = String((listener.address() as { port: number }).port);
      await mkdir(root);
      await chown(root, USER, USER);
      expect(await failureOf(port)).toContain('is in use');
      await chown(join(root, name), 0, 0);
      await chmod(join(root, name), 0o700);
      const message = await failureOf(port);
      expect(message).toContain(`Run as root: chown -R ${USER}:${USER} ${root} (`);
      obey(message);
      expect(await failureOf(port)).toContain('is in use');
      listener.close();
    },
  );

  it('has no folder of root in it that the doctor would not find, and none after the doctor has run as root', async () => {
    const environment = { DATA_DIR: root, PORT: '0', MIN_FREE_DISK_BYTES: '0' };
    await mkdir(join(root, 'objects', 'aa'), { recursive: true });
    for (const path of ['', 'objects']) await chown(join(root, path), USER, USER);
    const found = await runToExit('admin', ['doctor'], environment, USER);
    expect(found.stdout).toContain(`failed  data folder: ${join(root, 'objects', 'aa')} cannot be written (EACCES)\n`);
    obey(found.stdout);
    const asUser = await runToExit('admin', ['doctor'], environment, USER);
    expect(asUser.stdout).not.toContain('EACCES');
    const before = await readdir(join(root, 'objects'));
    const asRoot = await runToExit('admin', ['doctor'], environment);
    expect(asRoot.stdout).toContain(
      `skipped storage: not tried as root, because ${root} belongs to user ${USER}: run this as that user\n`,
    );
    expect(await readdir(join(root, 'objects'))).toEqual(before);
  });

  it('gets what root creates in it', async () => {
    const archive = join(parent, 'a.tar');
    const source = await createTestServer();
    expect(await runToExit('admin', ['backup', archive], { DATA_DIR: source.folder })).toMatchObject({ code: 0 });
    await source.close();
    await mkdir(root, { mode: 0o700 });
    await chown(root, USER, USER);
    expect(await runToExit('admin', ['restore', archive], { DATA_DIR: root })).toMatchObject({ code: 0 });
    await rm(archive);
    expect(await runToExit('admin', ['backup', archive], { DATA_DIR: root })).toMatchObject({ code: 0 });
    const owners = await Promise.all(
      (await readdir(root, { recursive: true })).map(async (name) => (await stat(join(root, name))).uid),
    );
    expect(new Set(owners)).toEqual(new Set([USER]));
  });
});
