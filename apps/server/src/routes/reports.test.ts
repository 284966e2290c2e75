import { randomBytes } from 'node:crypto';
import { MAX_REPORT_LENGTH } from '@furoshiki/api';
import { afterEach, describe, expect, it } from 'vitest';
import { TestClient } from '../../testing/test-client.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';

/** With a mail server configured, reports are also queued as mail. No job runs here that would send it. */
const MAIL = { SMTP_URL: 'smtp://127.0.0.1', CONTACT_EMAIL: 'operator@example.org' };
let server: TestServer;
let client: TestClient;
let pageID: string;
let fileID: string;
afterEach(() => server.close());

async function start(...options: Parameters<typeof createTestServer>): Promise<void> {
  server = await createTestServer(...options);
  client = new TestClient(server);
  ({ pageID, id: fileID } = await client.send(new Uint8Array(randomBytes(100))));
}
const report = (body: Record<string, unknown> = {}) => client.post('/report', { pageID, reason: '詐欺です', ...body });
const reports = () => server.context.metadata.listReports(10);
const messages = () => server.context.metadata.listMessages(10);

it('stores a report for the operator and keeps it after its page is deleted', async () => {
  await start();
  const reply = await report({ reason: '  詐欺です\nphishing ' });
  expect([reply.status, reply.body]).toEqual([200, { success: true }]);
  await client.delete(`/download/${fileID}`);
  expect(await reports()).toEqual([
    {
      id: expect.any(String),
      pageId: pageID,
      reason: '詐欺です\nphishing',
      replyTo: undefined,
      createdAtMs: expect.any(Number),
    },
  ]);
  expect(await messages()).toEqual([]);
});

it('queues a mail to the operator if mail is configured', async () => {
  await start({ config: MAIL });
  await report();
  expect(await reports()).toHaveLength(1);
  expect(await messages()).toMatchObject([
    { subject: 'Furoshiki: a page was reported', text: `Page: ${pageID}\n\n詐欺です\n`, replyTo: undefined },
  ]);
});

it('keeps where the visitor wants an answer, and mail replies go there', async () => {
  await start({ config: MAIL });
  expect((await report({ email: ' visitor@example.org ' })).status).toBe(200);
  expect(await reports()).toMatchObject([{ replyTo: 'visitor@example.org' }]);
  expect(await messages()).toMatchObject([
    { text: `Page: ${pageID}\nEmail: visitor@example.org\n\n詐欺です\n`, replyTo: 'visitor@example.org' },
  ]);
});

it('refuses an address that nobody can reply to', async () => {
  await start({ config: MAIL });
  const reply = await report({ email: 'visitor' });
  expect([reply.status, reply.body.errorCode]).toEqual([400, 'INVALID_EMAIL']);
  expect([await reports(), await messages()]).toEqual([[], []]);
});

it('returns the same 404 for an unknown, an expired and a deleted page', async () => {
  await start({ config: MAIL });
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
  it('is accepted at the maximum length', async () => {
    await start();
    expect((await report({ reason: 'あ'.repeat(MAX_REPORT_LENGTH) })).status).toBe(200);
  });

  it.each<[string, Record<string, unknown>]>([
    ['no page', { pageID: undefined }],
    ['no reason', { reason: undefined }],
    ['a blank reason', { reason: ' \n\u3000' }],
    ['a reason that is not a string', { reason: 1 }],
    ['a reason that is too long', { reason: 'a'.repeat(MAX_REPORT_LENGTH + 1) }],
    ['a reason with NUL', { reason: 'a\0b' }],
    ['a reason that UTF-8 cannot hold', { reason: 'a\ud800' }],
  ])('is refused with %s', async (_, body) => {
    await start();
    const reply = await report(body);
    expect([reply.status, reply.body.errorCode]).toEqual([400, 'VALIDATION_FAILED']);
    expect(await reports()).toEqual([]);
  });

  it('is limited per address, separately from other calls', async () => {
    await start({ config: { REPORTS_PER_HOUR: 1 } });
    expect([(await report()).status, (await report()).status]).toEqual([200, 429]);
    expect((await client.post('/contact', { name: 'a', email: 'a@b.c', message: 'a' })).status).toBe(200);
  });
});
