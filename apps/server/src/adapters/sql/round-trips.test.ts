// How often a call waits for a database that is far away. SCALING.md has this table.
import { hash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Endpoint, type EndpointName, endpoints, OWNER_TOKEN_HEADER } from '@furoshiki/api';
import { expect, it } from 'vitest';
import { findPostgres } from '../../../../../scripts/ensure-backends.mjs';
import { ROOT } from '../../../../../scripts/paths.mjs';
import { sharedPostgres } from '../../../testing/backends.ts';
import { groupFormat2, newTransfer, sendFormat2 } from '../../../testing/format-2.ts';
import { TcpProxy } from '../../../testing/tcp-proxy.ts';
import { TestClient } from '../../../testing/test-client.ts';
import { createTestServer, type TestServer } from '../../../testing/test-server.ts';
import { readConfig } from '../../config/config.ts';

const DEFAULTS = readConfig({});
const OWNER_TOKEN = randomBytes(32).toString('base64');
const checkOf = (token: string) => hash('sha256', Buffer.from(token, 'base64'), 'base64');

/** With those that count a call for the rate limits. Calls of a batch run side by side. */
const ROUND_TRIPS: Record<Exclude<EndpointName, 'batch'>, number> = {
  config: 0,
  readiness: 1,
  csrfToken: 1,
  uploadPermission: 0,
  initUpload: 2,
  presignPart: 1,
  completePart: 2,
  uploadStatus: 1,
  completeUpload: 2,
  cancelUpload: 2,
  groupFiles: 2,
  createResumeSecret: 2,
  readResumeSecret: 1,
  dropResumeSecret: 1,
  createRequest: 2,
  request: 1,
  deliveries: 2,
  closeRequest: 3,
  deleteRequest: 3,
  page: 2,
  fileInfo: 1,
  takeGrant: 3,
  confirmDownload: 3,
  deleteFile: 3,
  contact: 2,
  report: 2,
};

function nameOf(method: string, url: string): EndpointName | undefined {
  const path = new URL(url).pathname.replace(/^\/api/u, '');
  const all = Object.entries(endpoints) as [EndpointName, Endpoint][];
  return all.find(
    ([, endpoint]) =>
      endpoint.method === method && new RegExp(`^${endpoint.path.replaceAll(/:\w+/gu, '[\\w-]{22}')}$`, 'u').test(path),
  )?.[0];
}

/** Makes every call once, each with all that it can do. */
async function callAll(server: Pick<TestServer, 'url' | 'fetch'>): Promise<void> {
  const client = new TestClient(server);
  const transfer = await newTransfer();
  const files = [];
  for (let count = 0; count < 2; count += 1) files.push(await sendFormat2(client, transfer, new Uint8Array(100)));
  const { pageID } = await groupFormat2(client, transfer, files);
  const [first] = files;
  if (!first) throw new Error('no file was sent');
  const path = `/download/${first.id}`;
  const { body: opened } = await client.init();
  const upload = { fileKey: opened.fileKey, uploadId: opened.uploadId };
  const part = await client.putPart(upload, 1, new Uint8Array(1028));
  const { body: resume } = await client.post('/upload/resume-secret');
  const check = checkOf(OWNER_TOKEN);
  const { body: asked } = await client.post('/requests', {
    salt: transfer.pageSalt,
    card: 'AAAA',
    senderCheck: check,
    ownerCheck: check,
    openDays: 1,
    retentionPeriod: 1,
  });
  const request = `/requests/${asked.requestID}`;
  const owner = { [OWNER_TOKEN_HEADER]: OWNER_TOKEN };
  const responses = [
    await client.get(request),
    await client.get(`${request}/deliveries`, owner),
    await client.post(`${request}/close`, undefined, owner),
    await client.call('DELETE', request, undefined, owner),
    await client.get('/config'),
    await client.get('/readiness'),
    await client.get('/upload/permission'),
    await client.post('/upload/complete-part', { ...upload, partNumber: 1, etag: part.headers.get('etag') }),
    await client.post('/upload/status', upload),
    await client.post('/upload/cancel', upload),
    await client.get(`/upload/resume-secret/${resume.id}`),
    await client.delete(`/upload/resume-secret/${resume.id}`),
    await client.get(`/download/page/${pageID}`),
    await client.get(`/download/info/${first.id}`),
    await client.get(path, transfer.proof),
    await client.post(`${path}/confirm`, undefined, transfer.proof),
    await client.delete(path),
    await client.post('/contact', { name: 'A', email: 'a@example.org', message: 'B' }),
    await client.post('/report', { pageID, reason: 'C' }),
  ];
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
}

it('SCALING.md has the same table', () => {
  const text = readFileSync(join(ROOT, 'docs', 'SCALING.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `(\w+)`\s*\| (\d)\s*\|$/gmu)].map(([, name, count]) => [name, Number(count)]);
  expect(Object.fromEntries(rows)).toEqual(ROUND_TRIPS);
});

it.skipIf(findPostgres() === undefined)(
  'no call takes more round trips to PostgreSQL than the table says',
  async () => {
    const postgres = await sharedPostgres();
    const address = new URL(await postgres.newDatabase());
    const proxy = await TcpProxy.start(Number(address.port));
    address.port = String(proxy.port);
    const { READS_PER_HOUR, PART_CALLS_PER_HOUR, TOKENS_PER_HOUR, UPLOADS_PER_HOUR, DOWNLOADS_PER_HOUR } = DEFAULTS;
    const { DELETES_PER_HOUR, CONTACTS_PER_HOUR, REPORTS_PER_HOUR } = DEFAULTS;
    const rates = { READS_PER_HOUR, PART_CALLS_PER_HOUR, TOKENS_PER_HOUR, UPLOADS_PER_HOUR, DOWNLOADS_PER_HOUR };
    const server = await createTestServer({
      config: {
        DATABASE_URL: address.href,
        SECRET: 'x'.repeat(32),
        ...rates,
        DELETES_PER_HOUR,
        CONTACTS_PER_HOUR,
        REPORTS_PER_HOUR,
      },
    });
    try {
      // Opens the connections.
      await callAll(server);
      const counted: Partial<Record<EndpointName, number>> = {};
      const fetch: TestServer['fetch'] = async (url, init) => {
        const before = proxy.roundTrips;
        const response = await server.fetch(url, init);
        const name = nameOf(init?.method ?? 'GET', url);
        if (name) counted[name] = proxy.roundTrips - before;
        return response;
      };
      await callAll({ url: server.url, fetch });
      expect(counted).toEqual(ROUND_TRIPS);
    } finally {
      await server.close();
      await proxy.discard();
      await postgres.stop();
    }
  },
);
