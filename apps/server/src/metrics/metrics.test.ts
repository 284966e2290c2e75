import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort, runToExit, startServerProcess } from '../../testing/process.ts';
import { TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { createMetrics, serveMetrics } from './metrics.ts';

const METRIC_LINE = /^(\w+(?:\{.*\})?) (\S+)$/u;

async function metricsAt(url: string): Promise<Map<string, number>> {
  const text = await (await fetch(url)).text();
  const lines = text.split('\n').map((line) => METRIC_LINE.exec(line));
  return new Map(lines.flatMap((match) => (match ? [[match[1] ?? '', Number(match[2])] as const] : [])));
}

describe('the metrics', () => {
  let server: TestServer;
  let scrape: Server;
  let url: string;
  let isBroken = false;
  beforeEach(async () => {
    isBroken = false;
    const metrics = createMetrics(async () => {
      if (isBroken) throw new Error('no database');
      return server.context.metadata.tally();
    });
    server = await startTestServer({ metrics });
    scrape = await serveMetrics(metrics.registry, '127.0.0.1', 0);
    url = `http://127.0.0.1:${(scrape.address() as { port: number }).port}/metrics`;
  });
  afterEach(async () => {
    scrape.closeAllConnections();
    scrape.close();
    await server.close();
  });

  async function driveTraffic(): Promise<string[]> {
    const client = new TestClient(server.url);
    const file = await client.send(new Uint8Array(randomBytes(3000)));
    const { body } = await client.get(`/download/${file.id}`);
    await (await fetch(body.presignedUrl)).arrayBuffer();
    const odd = randomBytes(8).toString('hex');
    for (const path of [`/${odd}`, `/api/${odd}`, `/store/${odd}`, `/api/download/info/${odd}`, `/%${odd}`]) {
      for (const method of ['GET', 'POST', 'PURGE', 'PROPFIND', 'HEAD']) await fetch(server.url + path, { method });
    }
    return [file.id, file.pageID, odd, new URL(body.presignedUrl).pathname, client.cookie, 'report.pdf', '127.0.0.1'];
  }

  it('count error responses by their code, also those of a batch', async () => {
    const client = new TestClient(server.url);
    const refused = async () => (await metricsAt(url)).get('furoshiki_refused_calls_total{code="NOT_FOUND"}');
    expect(await refused()).toBe(0);
    const id = 'A'.repeat(22);
    await client.get(`/download/info/${id}`);
    expect(await refused()).toBe(1);
    const { status } = await client.post('/batch/calls', {
      calls: [1, 2].map(() => ({ name: 'takeGrant', params: { id } })),
    });
    expect([status, await refused()]).toEqual([200, 3]);
  });

  it('contain no id, path or address, and do not grow in number with traffic', async () => {
    const secrets = await driveTraffic();
    const before = await metricsAt(url);
    for (let n = 0; n < 3; n += 1) secrets.push(...(await driveTraffic()));
    const after = await metricsAt(url);
    const grown = [...after.keys()].filter((name) => !before.has(name) && !name.startsWith('nodejs_'));
    expect(grown).toEqual([]);
    for (const secret of secrets) expect([...after.keys()].filter((name) => name.includes(secret))).toEqual([]);
  });

  it('count requests by route template, with their durations', async () => {
    await driveTraffic();
    const metrics = await metricsAt(url);
    const count = (route: string, method: string, status: string) =>
      metrics.get(`furoshiki_http_requests_total{route="${route}",method="${method}",status="${status}"}`);
    expect(count('/store/:key/:partNumber', 'PUT', '2xx')).toBe(1);
    expect(count('/api/download/:id', 'GET', '2xx')).toBe(1);
    expect(count('/api/download/info/:id', 'GET', '4xx')).toBe(1);
    expect(count('page-or-unknown', 'other', '4xx')).toBeGreaterThan(4);
    expect(metrics.get('furoshiki_http_request_seconds_count{route="/store/:key",method="GET"}')).toBeGreaterThan(0);
    expect([...metrics.keys()]).toEqual(expect.arrayContaining(['nodejs_eventloop_lag_seconds']));
  });

  it('report what is stored, from the database', async () => {
    const client = new TestClient(server.url);
    await client.send(new Uint8Array(randomBytes(3000)));
    await client.init({ fileSize: 1000 });
    const { storedBytes } = await server.context.metadata.tally();
    expect(storedBytes).toBeGreaterThan(3028 + 1028);
    const current = async () => {
      const metrics = await metricsAt(url);
      return ['stored_bytes', 'live_files', 'uploads_under_way', 'doomed_files'].map((name) =>
        metrics.get(`furoshiki_${name}`),
      );
    };
    expect(await current()).toEqual([storedBytes, 1, 1, 0]);
    isBroken = true;
    expect(await current()).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('count a running transfer, its bytes, and that it was cut', async () => {
    const client = new TestClient(server.url);
    const { body } = await client.init({ fileSize: 1_000_000 });
    const upload = { uploadId: body.uploadId, fileKey: body.fileKey };
    const signed = await client.post('/upload/presigned-url', { ...upload, partNumber: 1 });
    const inFlight = async () => (await metricsAt(url)).get('furoshiki_transfers_in_flight{direction="in"}');
    expect(await inFlight()).toBe(0);
    const part = request(signed.body.presignedUrl, { method: 'PUT', headers: { 'content-length': '1000028' } });
    part.on('error', () => undefined);
    part.write(new Uint8Array(400_000));
    await expect.poll(inFlight).toBe(1);
    const received = async () => (await metricsAt(url)).get('furoshiki_received_bytes_total');
    await expect.poll(received).toBeGreaterThan(400_000);
    part.destroy();
    await new Promise((resolve) => part.once('close', resolve));
    await expect.poll(inFlight).toBe(0);
    const metrics = await metricsAt(url);
    const cut = 'furoshiki_http_requests_total{route="/store/:key/:partNumber",method="PUT",status="cut"}';
    expect(metrics.get(cut)).toBe(1);
    expect(metrics.get('furoshiki_received_bytes_total')).toBeGreaterThan(400_000);
    expect(metrics.get('furoshiki_sent_bytes_total')).toBeGreaterThan(500);
  });
});

describe('the port of the metrics', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'furoshiki-metrics-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('serves them separately from the service, counts sweeps, and closes with it', async () => {
    const port = String(await freePort());
    const server = await startServerProcess({ DATA_DIR: folder, METRICS_PORT: port });
    const url = `http://127.0.0.1:${port}/metrics`;
    const sweeps = async () => (await metricsAt(url)).get('furoshiki_sweeps_total{outcome="done"}');
    await expect.poll(sweeps).toBe(1);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
    const factsOf = async (method: string) => {
      const { status, headers } = await fetch(url, { method });
      return [status, headers.get('allow'), headers.get('content-type'), headers.get('transfer-encoding')];
    };
    const type = 'text/plain; version=0.0.4; charset=utf-8';
    for (const method of ['GET', 'HEAD']) expect(await factsOf(method)).toEqual([200, null, type, null]);
    expect(await factsOf('OPTIONS')).toEqual([204, 'GET, HEAD, OPTIONS', null, null]);
    for (const method of ['POST', 'DELETE'])
      expect((await factsOf(method)).slice(0, 2)).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect(await (await fetch(`${server.url}/metrics`)).text()).not.toContain('furoshiki_');
    expect(await server.stop()).toBe(0);
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('prevents the start with a one-line error if it is in use', async () => {
    const taken = await startServerProcess({ DATA_DIR: folder });
    const { port } = new URL(taken.url);
    const exit = await runToExit('main', [], { DATA_DIR: join(folder, 'other'), PORT: '0', METRICS_PORT: port });
    expect(exit.code).toBe(1);
    expect(exit.stderr).toContain(`furoshiki: METRICS_PORT ${port} on 127.0.0.1 is in use\n`);
    await taken.stop();
  });
});
