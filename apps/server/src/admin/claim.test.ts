// A database that was restored or copied while its store went on, and the operator's decision which one lives.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findPostgres } from '../../../../scripts/ensure-backends.mjs';
import { sharedPostgres } from '../../testing/backends.ts';
import type { Postgres } from '../../testing/postgres.ts';
import { diagnose, expectSameCause } from '../../testing/start-and-doctor.ts';
import { TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { runToExit } from '../../testing/process.ts';
import { runSweeper } from '../jobs/sweeper.ts';
import { sweep } from '../services/deletion.ts';
import { reconcile } from '../services/reconcile.ts';
import { renewEpoch } from '../services/store-ownership.ts';

const START = { object: '', row: '' };
const WEEK_MS = 7 * 86_400_000;

describe.skipIf(findPostgres() === undefined)('a restored database', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await sharedPostgres();
  });
  afterAll(() => postgres.stop());

  let DATA_DIR: string;
  let lived: string;
  let restored: string;
  /** Sent before the backup and after it, and an upload that was open at the backup and is complete now. */
  let files: { before: string; after: string; completed: string };
  beforeEach(async () => {
    DATA_DIR = await mkdtemp(join(tmpdir(), 'furoshiki-claim-'));
    lived = await postgres.newDatabase();
    const first = await start(lived);
    await renewEpoch(first.context);
    const client = new TestClient(first.url);
    const before = await client.send(new Uint8Array(10));
    const { body: open } = await client.init();
    const upload = { fileKey: open.fileKey, uploadId: open.uploadId };
    await first.stop();
    restored = await copyOf(lived);
    const later = await start(lived);
    await renewEpoch(later.context);
    const { objects } = later.context;
    const laterClient = new TestClient(later.url);
    const after = await laterClient.send(new Uint8Array(10));
    await laterClient.putPart(upload, 1, new Uint8Array(1028));
    const place = { key: open.fileKey, uploadId: open.uploadId };
    await objects.completeUpload(place, await objects.listParts(place));
    files = { before: before.fileKey, after: after.fileKey, completed: open.fileKey };
    await later.stop();
  });
  afterEach(() => rm(DATA_DIR, { recursive: true }));

  const start = (url: string): Promise<TestServer> =>
    startTestServer({ config: { DATABASE_URL: url }, dataDir: DATA_DIR, announceMs: 0 });
  const settingsOf = (url: string) => ({ DATA_DIR, DATABASE_URL: url, MIN_FREE_DISK_BYTES: '0' });
  const claim = (url: string) => runToExit('admin', ['claim'], settingsOf(url));

  async function copyOf(url: string): Promise<string> {
    const [from, to] = [new URL(url), new URL(url)];
    to.pathname = `${from.pathname}_copy`;
    from.pathname = '/postgres';
    const client = new pg.Client({ connectionString: from.href });
    await client.connect();
    await client.query(`create database ${to.pathname.slice(1)} template ${new URL(url).pathname.slice(1)}`);
    await client.end();
    return to.href;
  }

  const keysOf = async ({ context }: TestServer) => (await context.objects.listKeys('', 100)).map(({ key }) => key);

  it('does not start on the store, and doctor says the same', async () => {
    await expectSameCause(
      settingsOf(restored),
      /objects was last used by a newer state of this database, or by a copy/u,
    );
    await (await start(lived)).stop();
  });

  it('starts once it is claimed, and the other one does not any more; nothing newer is removed for a week', async () => {
    expect((await claim(restored)).code).toBe(0);
    const { failing } = await diagnose(settingsOf(lived));
    expect(failing.map(({ text }) => text)).toContainEqual(expect.stringMatching(/belongs to another database$/u));
    const server = await start(restored);
    try {
      await sweep(server.context, 100);
      server.wait(WEEK_MS - 60_000);
      expect((await reconcile(server.context, START, 100)).orphans).toBe(0);
      expect((await keysOf(server)).toSorted()).toEqual(Object.values(files).toSorted());
      server.wait(60_000);
      expect((await reconcile(server.context, START, 100)).orphans).toBe(2);
      expect(await keysOf(server)).toEqual([files.before]);
    } finally {
      await server.stop();
    }
  });

  it('is recognised because the sweeper of a running server leaves epochs in its store', async () => {
    const running = await start(lived);
    const stopping = new AbortController();
    const { log } = Fastify();
    const sweeping = runSweeper(running.context, log, 10, stopping.signal);
    const seen = new Set<string | undefined>();
    await expect.poll(async () => seen.add(await running.context.objects.readEpoch()).size).toBeGreaterThan(3);
    stopping.abort();
    await sweeping;
    await running.stop();
  });

  it('makes a server of the other one stop removing what it does not know, and say why', async () => {
    const running = await start(lived);
    try {
      await renewEpoch(running.context);
      expect((await claim(restored)).code).toBe(0);
      await expect(renewEpoch(running.context)).rejects.toThrowError('no longer belongs to this database');
      // What claims back is the same command.
      expect((await claim(lived)).code).toBe(0);
      await renewEpoch(running.context);
    } finally {
      await running.stop();
    }
  });
});
