// The operator's commands as processes, beside the real server on the same database and disk.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, runToExit, type ServerProcess, startServerProcess } from '../../testing/process.ts';
import { TestClient } from '../../testing/test-client.ts';

let folder: string;
let server: ServerProcess;
let client: TestClient;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'furoshiki-admin-'));
  const port = String(await freePort());
  server = await startServerProcess({ DATA_DIR: folder, PORT: port, PUBLIC_ORIGIN: `http://127.0.0.1:${port}` });
  client = new TestClient(server.url);
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

const admin = (...words: string[]) => runToExit('admin', words, { DATA_DIR: folder, MAX_STORED_BYTES: '1GB' });
const someBytes = () => new Uint8Array(randomBytes(2000));
const statusOf = async (path: string) => (await client.get(path)).status;
const objectsLeft = async () =>
  (await readdir(join(folder, 'objects'), { recursive: true })).filter((path) => path.endsWith('/data')).length;

async function aPage(count: number): Promise<{ pageID: string; ids: string[] }> {
  const ids = [];
  for (let n = 0; n < count; n += 1) ids.push((await client.send(someBytes())).id);
  const { body } = await client.post('/batch/upload', { fileIDs: ids });
  return { pageID: body.pageID, ids };
}

describe('beside a running server', () => {
  it('prints what is stored', async () => {
    const { ids } = await aPage(2);
    await client.init();
    await new TestClient(server.url).get(`/download/${ids[0]}`);
    const { code, stdout, stderr } = await admin('stats');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n').slice(0, 6)).toEqual([
      'live files: 2',
      'uploads under way: 1',
      'doomed files: 0',
      'live grants: 1',
      'stored: 50.8\u00a0KB',
      'quota: 1\u00a0GB',
    ]);
    const { stdout: json } = await admin('--json', 'stats');
    expect(JSON.parse(json)).toEqual({
      liveFiles: 2,
      uploadsUnderWay: 1,
      doomedFiles: 0,
      liveGrants: 1,
      // Blocks of the disk, rows, and room for the details of the open upload.
      storedBytes: 52_038,
      maxStoredBytes: 1024 ** 3,
      freeDiskBytes: expect.any(Number),
      freeInodes: expect.any(Number),
    });
  });

  it('takes down a whole page by its link with the key, and the server sees it at once', async () => {
    const { pageID, ids } = await aPage(3);
    const other = await client.send(someBytes());
    const before = await objectsLeft();
    const { code, stdout } = await admin('take-down', `https://files.example.org/ja/download/${pageID}#key=abc`);
    expect([code, stdout.split('\n').slice(0, 2)]).toEqual([0, [`page: ${pageID}`, 'files deleted: 3']]);
    expect(await statusOf(`/download/page/${pageID}`)).toBe(404);
    for (const id of ids) expect(await statusOf(`/download/${id}`)).toBe(404);
    expect(before - (await objectsLeft())).toBe(3);
    expect(await statusOf(`/download/${other.id}`)).toBe(200);
    const again = await admin('take-down', pageID);
    expect([again.code, again.stdout]).toEqual([1, '']);
    expect(again.stderr).toMatch(/^furoshiki-admin: nothing is there.*\n$/u);
  });

  it('takes down one file of a page and keeps the others', async () => {
    const { pageID, ids } = await aPage(2);
    const { code, stdout } = await admin('take-down', ids[0] ?? '', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ kind: 'file', id: ids[0], files: [{ id: ids[0], fileSize: 2000 }] });
    const { body } = await client.get(`/download/page/${pageID}`);
    expect(body.files.map(({ id }: { id: string }) => id)).toEqual([ids[1]]);
  });

  it('lets no call of either process fail while both write', async () => {
    const pages = Array.from({ length: 3 }, () => new TestClient(server.url)).map(async (sender) => {
      const replies = [];
      for (let n = 0; n < 25; n += 1) {
        const [one, two] = [await sender.send(someBytes()), await sender.send(someBytes())];
        replies.push(await sender.post('/batch/upload', { fileIDs: [one.id, two.id] }));
        replies.push(await sender.get(`/download/${one.id}`));
      }
      return replies;
    });
    const commands = [];
    for (let n = 0; n < 4; n += 1)
      commands.push(await admin('sweep'), await admin('take-down', (await aPage(2)).pageID));
    const replies = (await Promise.all(pages)).flat();
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(commands.map(({ code, stderr }) => [code, stderr])).toEqual(commands.map(() => [0, '']));
    expect(server.log()).not.toContain('"level":50');
    // Eight processes start one after the other.
  });

  it('is found healthy by the doctor', async () => {
    const { code, stdout, stderr } = await runToExit('admin', ['doctor'], {
      DATA_DIR: folder,
      MIN_FREE_DISK_BYTES: '0',
      PUBLIC_ORIGIN: server.url,
      PORT: new URL(server.url).port,
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('ok      database: opens, is whole, and takes writes\n');
    expect(stdout).toContain('ok      storage: writes, completes, reads back and deletes\n');
    expect(stdout).toContain(`ok      port: the server listens on PORT ${new URL(server.url).port}\n`);
    expect(stdout).toContain(`ok      reachable: ${server.url}/healthz responds\n`);
    expect(stdout).toContain('ok      clock: agrees with the service\n');
    expect(stdout).toContain(`ok      unchanged pages: ${server.url} serves what was built\n`);
    expect(stdout).toContain('skipped SMTP: not configured');
    expect(stdout).toMatch(/nothing is wrong\n$/u);
  });
});

it('prints the usage and exits with 2 for an unknown command', async () => {
  // It needs no configuration, so an invalid one does not hide it.
  const { code, stdout, stderr } = await runToExit('admin', ['destroy'], { PORT: 'nonsense' });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^furoshiki-admin: there is no command destroy\n\nusage: furoshiki-admin/u);
});

describe('a command that fails prints the reason in one line and exits with 1', () => {
  it.each<[string, string[], Record<string, string>, RegExp]>([
    ['a wrong variable', ['stats'], { PORT: 'nonsense' }, /PORT must be a port number/u],
    ['a folder without a database', ['stats'], { DATA_DIR: '/nowhere' }, /no database in DATA_DIR \/nowhere/u],
    ['an argument that is neither id nor link', ['take-down', 'https://example.org/'], {}, /neither an id nor a link/u],
  ])('for %s', async (_, words, environment, reason) => {
    const { code, stdout, stderr } = await runToExit('admin', words, { DATA_DIR: folder, ...environment });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(reason);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});
