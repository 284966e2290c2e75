// Two servers on one database and one bucket behave as one.
import { randomBytes } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { runToExit } from '../../apps/server/testing/process.ts';
import { TestClient } from '../../apps/server/testing/test-client.ts';
import { Cluster } from '../support/cluster.ts';
import { IS_LONG } from '../support/long.ts';

test.describe('several servers', { tag: '@cluster' }, () => {
  test.describe.configure({ mode: 'serial' });

  let cluster: Cluster;
  test.beforeAll(async () => {
    cluster = await Cluster.start({ environment: { CONTACTS_PER_HOUR: '6' } });
  });
  test.afterAll(() => cluster.discard());

  const serverUrl = (n: number) => cluster.servers[n % cluster.servers.length]?.url ?? '';
  /** A client that sends each call to the next server. */
  function roamingClient(): TestClient {
    let calls = 0;
    return new TestClient(() => serverUrl((calls += 1)));
  }
  /** How often the race for the grants of a file is repeated. */
  const ROUNDS = IS_LONG ? 20 : 3;
  const bytes = (length = 1000) => new Uint8Array(randomBytes(length));

  test('any server handles any request: token, upload, page, grant and confirmation on different servers', async () => {
    const [sender, recipient] = [roamingClient(), roamingClient()];
    const file = await sender.send(bytes(), { downloadLimit: 1 });
    const { body: batch } = await sender.post('/batch/upload', { fileIDs: [file.id] });
    const { body: page } = await recipient.get(`/download/page/${batch.pageID}`);
    expect(page.files).toHaveLength(1);
    const { body: grant } = await recipient.get(`/download/${file.id}`);
    expect(new URL(grant.presignedUrl).origin).toBe(cluster.ceph.endpoint);
    expect((await (await fetch(grant.presignedUrl)).arrayBuffer()).byteLength).toBe(1028);
    expect((await recipient.get(`/download/${file.id}`)).status).toBe(200);
    expect((await roamingClient().get(`/download/${file.id}`)).body.errorCode).toBe('DOWNLOAD_LIMIT_REACHED');
    expect((await recipient.post(`/download/${file.id}/confirm`)).status).toBe(200);
    expect((await recipient.get(`/download/page/${batch.pageID}`)).status).toBe(404);
  });

  test('500 clients on two servers get exactly the 10 grants of a file', { tag: '@long' }, async () => {
    const sender = roamingClient();
    for (let round = 0; round < ROUNDS; round += 1) {
      const file = await sender.send(bytes(), { downloadLimit: 10 });
      const statuses: number[] = [];
      // In waves: on a slow machine 500 requests at once take longer than a request waits for one of 10 connections.
      for (let wave = 0; wave < 20; wave += 1) {
        const requests = Array.from({ length: 25 }, (_, n) => new TestClient(serverUrl(n)).get(`/download/${file.id}`));
        statuses.push(...(await Promise.all(requests)).map(({ status }) => status));
      }
      expect(statuses.filter((status) => status === 200)).toHaveLength(10);
      expect(statuses.filter((status) => status === 403)).toHaveLength(490);
      const { body } = await sender.get(`/download/page/${file.pageID}`);
      expect(body.files[0].currentDownloads).toBe(10);
    }
  });

  test('a rate limit is shared by all servers', async () => {
    const message = { name: 'A', email: 'a@example.org', message: 'b' };
    const client = roamingClient();
    const statuses = [];
    for (let n = 0; n < 8; n += 1) statuses.push((await client.post('/contact', message)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
  });

  test('the operator sees one service, and the doctor finds nothing wrong', async () => {
    const doctor = await cluster.admin('doctor', '--json');
    const { findings } = JSON.parse(doctor.stdout) as { findings: { name: string; state: string }[] };
    const ok = findings.filter(({ state }) => state === 'ok').map(({ name }) => name);
    expect(ok.join(', ')).toBe(
      'settings, database, storage, strangers, web app, port, secure origin, reachable, clock, trusted proxy, proxy buffering, unchanged pages, CORS preflight, lifecycle',
    );
    expect(doctor.code).toBe(0);
    const stats = await cluster.admin('stats', '--json');
    expect(JSON.parse(stats.stdout)).toMatchObject({ freeDiskBytes: null });
  });

  test('the doctor reports what is missing in a new bucket, and sets it up with --fix', async () => {
    const environment = { ...cluster.environment, S3_BUCKET: await cluster.ceph.newBucket() };
    const failing = async (...args: string[]) => {
      const { stdout } = await runToExit('admin', ['doctor', '--json', ...args], environment);
      const { findings } = JSON.parse(stdout) as { findings: { name: string; state: string }[] };
      return findings.filter(({ state }) => state === 'failed').map(({ name }) => name);
    };
    // The database knows files, and a new bucket has none of them.
    expect(await failing()).toEqual(['storage', 'CORS preflight', 'lifecycle']);
    expect(await failing('--fix')).toEqual(['storage']);
    expect(await failing()).toEqual(['storage']);
  });

  test.describe('a start that fails prints the reason in one line', () => {
    const start = (change: Record<string, string>) =>
      runToExit('main', [], { PORT: '0', ...cluster.environment, ...change });

    test('without a shared secret', async () => {
      expect((await start({ SECRET: '' })).stderr).toBe(
        'furoshiki: SECRET must be set together with DATABASE_URL and S3_BUCKET\n',
      );
    });

    test('without a limit to what is stored', async () => {
      expect((await start({ MAX_STORED_BYTES: '' })).stderr).toMatch(
        /^furoshiki: MAX_STORED_BYTES must be set together with S3_BUCKET: .+\n$/u,
      );
    });

    test('with an unreachable database', async () => {
      const exit = await start({ DATABASE_URL: 'postgres://user:secret-password@127.0.0.1:1/none' });
      expect(exit.code).toBe(1);
      expect(exit.stderr).toMatch(/^furoshiki: the database of DATABASE_URL cannot be used \(ECONNREFUSED\): .+\n$/u);
      expect(exit.stderr).not.toContain('secret-password');
    });

    test('with a bucket that does not exist', async () => {
      const exit = await start({ S3_BUCKET: 'no-such-bucket' });
      expect([exit.code, exit.stderr]).toEqual([
        1,
        expect.stringMatching(/^furoshiki: the bucket no-such-bucket cannot be used \(NoSuchBucket\): .+\n$/u),
      ]);
    });

    test('with a bucket that belongs to another database, whose sweeper would remove the files', async () => {
      const exit = await start({ DATABASE_URL: await cluster.postgres.newDatabase() });
      expect([exit.code, exit.stderr]).toEqual([
        1,
        expect.stringMatching(
          /^furoshiki: the bucket \S+ belongs to another database: if this .+ run `admin claim`; see docs/u,
        ),
      ]);
    });
  });

  test('no server logged a warning or an error', () => {
    for (const server of cluster.servers) expect(server.log).toBe(`Furoshiki serves ${cluster.url}\n`);
  });
});
