// PostgreSQL as operators run it: behind PgBouncer, and with a standby that replaces it, behind HAProxy or without. With
// Debian's programs.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPostgres } from '../../../../../scripts/ensure-backends.mjs';
import { ensurePrograms, findProgram } from '../../../../../scripts/ensure-programs.mjs';
import { describeMetadataStore } from '../../../testing/contracts/metadata-store.contract.ts';
import { newUpload } from '../../../testing/contracts/metadata-fixture.ts';
import { describeSharedRecords } from '../../../testing/contracts/shared-records.contract.ts';
import { openTwoStores } from '../../../testing/contracts/two-stores.ts';
import { NO_LIMITS } from '../../../testing/no-limits.ts';
import { type PostgresServer, startPostgres } from '../../../testing/postgres.ts';
import { freePort } from '../../../testing/process.ts';
import { createPostgresMetadataStore } from './metadata-store.ts';

const LIMITS = { connections: 5, statementMs: 2000 };
const AS_POSTGRES = process.getuid?.() === 0 ? ['--reuid=postgres', '--regid=postgres', '--init-groups'] : [];

async function query(connectionString: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/** A hook that it never ends in has its own limit. */
async function isUp(url: string): Promise<void> {
  while (!(await query(url, 'select 1').catch(() => undefined))) await sleep(50);
}

describe('PgBouncer in transaction mode, with its defaults', () => {
  let server: PostgresServer;
  let folder: string;
  let pooler: ChildProcess;
  let port: number;
  beforeAll(async () => {
    const missing = ensurePrograms('pgbouncer');
    if (missing !== undefined) throw new Error(missing);
    server = await startPostgres();
    folder = await mkdtemp(join(tmpdir(), 'furoshiki-pgbouncer-'));
    await chmod(folder, 0o755);
    port = await freePort();
    await writeFile(join(folder, 'users'), '"postgres" ""\n');
    const settings = [
      '[databases]',
      `* = host=127.0.0.1 port=${new URL(server.url).port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${join(folder, 'users')}`,
      'pool_mode = transaction',
    ];
    await writeFile(join(folder, 'pgbouncer.ini'), `${settings.join('\n')}\n`);
    pooler = spawn('setpriv', [...AS_POSTGRES, 'pgbouncer', join(folder, 'pgbouncer.ini')], { stdio: 'ignore' });
    await isUp(pooled(server.url));
  });
  afterAll(async () => {
    pooler.kill();
    await once(pooler, 'exit');
    await server.stop();
    await rm(folder, { recursive: true });
  });

  function pooled(url: string): string {
    const address = new URL(url);
    address.port = String(port);
    return address.href;
  }

  const openOnce = async () => {
    const store = await createPostgresMetadataStore(pooled(await server.newDatabase()), LIMITS);
    return { store, discard: () => store.close() };
  };
  describeMetadataStore('PgBouncer', openOnce);
  describeSharedRecords('PgBouncer', async () => {
    const url = pooled(await server.newDatabase());
    return openTwoStores(() => createPostgresMetadataStore(url, LIMITS));
  });

  it('leaves no statement behind that waits for a locked table', async () => {
    const url = await server.newDatabase();
    const store = await createPostgresMetadataStore(pooled(url), LIMITS);
    const locking = new pg.Client({ connectionString: url });
    await locking.connect();
    await locking.query('begin; lock table files');
    const calls = Array.from({ length: 10 }, () => store.findUpload('a', 'b', 0));
    const results = await Promise.allSettled(calls);
    expect(results.map(({ status }) => status)).toEqual(calls.map(() => 'rejected'));
    const waiting = `select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock'`;
    await expect.poll(() => query(url, waiting)).toEqual([{ count: 0 }]);
    await locking.query('commit');
    await locking.end();
    expect(await store.findUpload('a', 'b', 0)).toBeUndefined();
    await store.close();
  });
});

/** The settings of a server that knows both. */
interface Route {
  url: string;
  discard(): Promise<void>;
}

/** The standby comes first, and is not used while it cannot be written to. */
async function bothHosts(primaryUrl: string, standbyUrl: string): Promise<Route> {
  const { host } = new URL(primaryUrl);
  return { url: primaryUrl.replace(host, `${new URL(standbyUrl).host},${host}`), discard: async () => undefined };
}

/** HAProxy sends connections to the standby as soon as the primary is gone, so also before it is promoted. */
async function throughHaproxy(primaryUrl: string, standbyUrl: string): Promise<Route> {
  const missing = ensurePrograms('haproxy');
  if (missing !== undefined) throw new Error(missing);
  const folder = await mkdtemp(join(tmpdir(), 'furoshiki-haproxy-'));
  const address = new URL(primaryUrl);
  address.port = String(await freePort());
  const settings = [
    'defaults',
    '  mode tcp',
    '  timeout connect 1s',
    '  timeout client 1h',
    '  timeout server 1h',
    'listen postgres',
    `  bind ${address.host}`,
    '  option pgsql-check user postgres',
    '  default-server check inter 200ms fall 2 rise 1 on-marked-down shutdown-sessions',
    `  server primary ${new URL(primaryUrl).host}`,
    `  server standby ${new URL(standbyUrl).host} backup`,
  ];
  await writeFile(join(folder, 'haproxy.cfg'), `${settings.join('\n')}\n`);
  const haproxy = spawn(findProgram('haproxy') ?? '', ['-db', '-f', join(folder, 'haproxy.cfg')], { stdio: 'ignore' });
  await isUp(address.href);
  return {
    url: address.href,
    async discard() {
      haproxy.kill();
      await once(haproxy, 'exit');
      await rm(folder, { recursive: true });
    },
  };
}

it.each([
  ['with both hosts in DATABASE_URL', bothHosts],
  ['behind HAProxy', throughHaproxy],
])('a synchronous standby that is promoted under load has everything that was acknowledged, %s', async (_, route) => {
  const primary = await startPostgres();
  const primaryUrl = await primary.newDatabase();
  const { port: primaryPort } = new URL(primaryUrl);
  const programs = findPostgres() ?? '';
  const folder = await mkdtemp(join(tmpdir(), 'furoshiki-standby-'));
  await promisify(execFile)('chown', ['postgres', folder]);
  const data = join(folder, 'data');
  const copy = ['-h', '127.0.0.1', '-p', primaryPort, '-U', 'postgres', '-D', data, '-R', '--no-sync', '-c', 'fast'];
  await promisify(execFile)('setpriv', [...AS_POSTGRES, join(programs, 'pg_basebackup'), ...copy], { cwd: '/' });
  const standbyPort = String(await freePort());
  const settings = [
    'fsync=off',
    'max_connections=300',
    `port=${standbyPort}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
  ];
  const args = settings.flatMap((setting) => ['-c', setting]);
  const standby = spawn('setpriv', [...AS_POSTGRES, join(programs, 'postgres'), '-D', data, ...args], {
    cwd: '/',
    stdio: 'ignore',
  });
  const standbyUrl = primaryUrl.replace(`:${primaryPort}/`, `:${standbyPort}/`);
  await isUp(standbyUrl);
  await query(primary.url, `alter system set synchronous_standby_names = '*'`);
  await query(primary.url, 'select pg_reload_conf()');

  const { url, discard } = await route(primaryUrl, standbyUrl);
  const store = await createPostgresMetadataStore(url, LIMITS);
  const acknowledged: string[] = [];
  const load = { isOver: false };
  const lane = async () => {
    while (!load.isOver) {
      const upload = newUpload();
      const outcome = await store.insertUpload(upload, NO_LIMITS).catch(() => undefined);
      if (outcome === 'reserved') acknowledged.push(upload.fileKey);
    }
  };
  const lanes = Array.from({ length: 4 }, lane);
  await expect.poll(() => acknowledged.length).toBeGreaterThan(100);
  await primary.stop();
  const before = acknowledged.length;
  await query(standbyUrl, 'select pg_promote()');
  await query(standbyUrl, `alter system set synchronous_standby_names = ''`);
  await query(standbyUrl, 'select pg_reload_conf()');
  await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 100);
  load.isOver = true;
  await Promise.all(lanes);
  const kept = new Set((await query(standbyUrl, 'select file_key from files')).map((row) => row['file_key']));
  expect(acknowledged.filter((key) => !kept.has(key))).toEqual([]);
  expect(await store.tally()).toMatchObject({ openUploads: kept.size, liveFiles: 0 });
  await store.close();
  await discard();
  standby.kill('SIGQUIT');
  await once(standby, 'exit');
  await rm(folder, { recursive: true });
});
