// What clients, metrics and the log of a running server say while its database is frozen or its disk is full.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { findPostgres } from '../../../scripts/ensure-backends.mjs';
import { sharedPostgres } from '../testing/backends.ts';
import type { Postgres } from '../testing/postgres.ts';
import { type Environment, freePort, type ServerProcess, startServerProcess } from '../testing/process.ts';
import { TcpProxy } from '../testing/tcp-proxy.ts';
import { INIT, TestClient } from '../testing/test-client.ts';

let folder: string;
let server: ServerProcess;
let metricsUrl: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'furoshiki-outage-'));
});
afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

async function start(environment: Environment = {}): Promise<TestClient> {
  const port = String(await freePort());
  server = await startServerProcess({ DATA_DIR: folder, MIN_FREE_DISK_BYTES: '0', METRICS_PORT: port, ...environment });
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  return new TestClient(server.url);
}

const readMetrics = async () => (await fetch(metricsUrl)).text();
const outageLines = () =>
  server
    .log()
    .split('\n')
    .filter((line) => line.includes('"dependency"'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

it('a full disk in the middle of a part is 507, one line of the log, and its own number', async () => {
  const client = await start();
  const { body: upload } = await client.init();
  const data = join(folder, 'objects', upload.fileKey.slice(0, 2), upload.fileKey, 'data');
  await rm(data);
  await symlink('/dev/full', data);
  const put = () => client.put(upload.presignedUrl, new Uint8Array(randomBytes(1028)));
  const statuses = [(await put()).status, (await put()).status, (await put()).status];
  expect(statuses).toEqual([507, 507, 507]);
  expect(outageLines()).toMatchObject([
    { level: 50, dependency: 'storage', code: 'ENOSPC', msg: 'the storage is full' },
  ]);
  expect(server.log()).not.toContain(upload.fileKey);
  expect(await readMetrics()).toMatch(/furoshiki_http_requests_total\{[^}]*method="PUT",status="507"\} 3\n/u);
});

describe.skipIf(findPostgres() === undefined)('a database that is frozen', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await sharedPostgres();
    // If only this file is run, it starts its own PostgreSQL.
  });
  afterAll(() => postgres.stop());

  it('is 503 for every call, alone or in a batch, a missing number in the metrics, and one line of the log', async () => {
    const url = new URL(await postgres.newDatabase());
    const proxy = await TcpProxy.start(Number(url.port));
    url.port = String(proxy.port);
    const client = await start({ DATABASE_URL: url.href });
    const { id } = await client.send(new Uint8Array(100));
    await expect.poll(readMetrics).toContain('furoshiki_last_sweep_duration_seconds ');
    const before = await readMetrics();
    const expected = [
      'furoshiki_dependency_ready{dependency="database"} 1',
      'furoshiki_dependency_ready{dependency="storage"} 1',
      'furoshiki_database_connections{state="idle"} ',
      'furoshiki_database_waiting_calls 0',
      'furoshiki_live_files 1',
      'furoshiki_outbox_messages 0',
      'furoshiki_storage_free_bytes ',
      'furoshiki_storage_reserve_bytes 0',
      'furoshiki_waiting_requests 0',
      'furoshiki_last_sweep_timestamp_seconds ',
      `furoshiki_build_info{version="${packageJson.version}"} 1`,
    ];
    expect(expected.filter((metric) => !before.includes(`\n${metric}`))).toEqual([]);
    expect(before).not.toContain('\nfuroshiki_storage_limit_bytes');

    proxy.freeze();
    let areAnswered = false;
    const calls = Promise.all([
      client.get(`/download/info/${id}`),
      client.init(),
      client.post('/batch/calls', {
        calls: [
          { name: 'takeGrant', params: { id } },
          { name: 'initUpload', body: INIT },
        ],
      }),
    ]).finally(() => (areAnswered = true));
    const during = await readMetrics();
    // The metrics do not wait for as long as a call does.
    expect(areAnswered).toBe(false);
    expect(during).toContain('\nfuroshiki_dependency_ready{dependency="database"} 0\n');
    expect(during).toContain('\nfuroshiki_dependency_ready{dependency="storage"} 1\n');
    expect(during).not.toContain('\nfuroshiki_live_files');
    const [info, init, batch] = await calls;
    for (const { status, headers, body } of [info, init]) {
      expect([status, headers.get('retry-after')]).toEqual([503, '5']);
      expect(body).toMatchObject({ errorCode: 'SERVICE_UNAVAILABLE' });
    }
    const refusal = { status: 503, retryAfterSeconds: 5, body: { errorCode: 'SERVICE_UNAVAILABLE' } };
    expect(batch.body.responses).toMatchObject([refusal, refusal]);
    expect(await readMetrics()).toMatch(/furoshiki_http_requests_total\{[^}]*method="GET",status="503"\} 1\n/u);
    expect(outageLines()).toMatchObject([{ level: 50, dependency: 'database', msg: 'the database cannot be used' }]);
    expect(server.log()).not.toContain('stack');

    proxy.thaw();
    expect((await client.get(`/download/info/${id}`)).status).toBe(200);
    expect(await readMetrics()).toContain('\nfuroshiki_live_files 1\n');
    await proxy.discard();
  });
});
