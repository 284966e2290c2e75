import { randomBytes } from 'node:crypto';
import { MAX_REPORT_LENGTH } from '@furoshiki/core';
import { afterEach, describe, expect, it } from 'vitest';
import { TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let client: TestClient;
let pageID: string;
let fileID: string;
afterEach(() => server.close());

async function start(...options: Parameters<typeof startTestServer>): Promise<void> {
  server = await startTestServer(...options);
  client = new TestClient(server.url);
  ({ pageID, id: fileID } = await client.send(new Uint8Array(randomBytes(100))));
}
const report = (body: Record<string, unknown> = {}) => client.post('/report', { pageID, reason: '詐欺です', ...body });
const reports = () => server.context.metadata.listReports(10);
const messages = () => server.context.metadata.listMessages(10);

it('keeps a report for the operator, also when its page is gone', async () => {
  await start();
  const reply = await report({ reason: '  詐欺です\nphishing ' });
  expect([reply.status, reply.body]).toEqual([200, { success: true }]);
  await client.delete(`/download/${fileID}`);
  expect(await reports()).toEqual([
    { id: expect.any(String), pageId: pageID, reason: '詐欺です\nphishing', createdAtMs: expect.any(Number) },
  ]);
  expect(await messages()).toEqual([]);
});

it('tells the operator by mail where there is mail', async () => {
  await start({ sendsMail: true });
  await report();
  expect(await reports()).toHaveLength(1);
  expect(await messages()).toMatchObject([
    { subject: 'Furoshiki: a page was reported', text: `Page: ${pageID}\n\n詐欺です\n`, replyTo: undefined },
  ]);
});

it('knows no page that never was, has expired or was deleted, and answers the same for each', async () => {
  await start({ sendsMail: true });
  const { pageID: expired } = await client.send(new Uint8Array(randomBytes(100)), { retentionPeriod: 1 });
  const { pageID: deleted, id } = await client.send(new Uint8Array(randomBytes(100)), { retentionPeriod: 3 });
  await client.delete(`/download/${id}`);
  server.wait(24 * 3_600_000);
  await client.renewToken();
  const replies = [];
  for (const gone of ['A'.repeat(22), expired, deleted]) replies.push(await report({ pageID: gone }));
  expect(replies.map(({ status }) => status)).toEqual([404, 404, 404]);
  expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect([await reports(), await messages()]).toEqual([[], []]);
});

describe('a report', () => {
  it('may be as long as the limit', async () => {
    await start();
    expect((await report({ reason: 'あ'.repeat(MAX_REPORT_LENGTH) })).status).toBe(200);
  });

  it.each<[string, Record<string, unknown>]>([
    ['no page', { pageID: undefined }],
    ['an id that is none', { pageID: 'x' }],
    ['no reason', { reason: undefined }],
    ['a blank reason', { reason: ' \n\u3000' }],
    ['a reason that is no text', { reason: 1 }],
    ['a reason that is too long', { reason: 'a'.repeat(MAX_REPORT_LENGTH + 1) }],
    ['a reason with NUL', { reason: 'a\0b' }],
    ['a reason that UTF-8 cannot hold', { reason: 'a\ud800' }],
  ])('is refused with %s', async (_, body) => {
    await start();
    const reply = await report(body);
    expect([reply.status, reply.body.errorCode]).toEqual([400, 'VALIDATION_FAILED']);
    expect(await reports()).toEqual([]);
  });

  it('is limited in how often an address may make one, apart from everything else', async () => {
    await start({ rateLimits: { report: 1 } });
    expect([(await report()).status, (await report()).status]).toEqual([200, 429]);
    expect((await client.post('/contact', { name: 'a', email: 'a@b.c', message: 'a' })).status).toBe(200);
  });
});
