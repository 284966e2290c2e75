import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type MailServer, type Mood, startMailServer } from '../../testing/mail-server.ts';
import { TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { createSmtpMailer, type SmtpTimeouts } from '../adapters/smtp/smtp-mailer.ts';
import { createSqlMetadataStore } from '../adapters/sql/metadata-store.ts';
import { openSqlite } from '../adapters/sql/sqlite/sqlite.ts';
import type { Mailer } from '../ports/messages.ts';
import type { Context } from '../services/context.ts';
import { LEASE_MS } from '../services/operator-messages.ts';
import { runMailOutbox } from './mail-outbox.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const IMPATIENT: SmtpTimeouts = { connectionMs: SECOND, greetingMs: 200, socketMs: 300 };
const body = { name: '山田 花子', email: 'hanako@example.jp', message: 'Grüße\n.\nと 😀' };

let server: TestServer;
let mail: MailServer;
let mailer: Mailer;
let logged: unknown[];
beforeEach(async () => {
  server = await startTestServer({
    config: { SMTP_URL: 'smtp://127.0.0.1', CONTACT_EMAIL: 'operator@example.org' },
  });
  mail = await startMailServer();
  mailer = mailerWith();
  logged = [];
});
afterEach(async () => {
  await server.close();
  await mail.down();
});

const post = (change: Partial<typeof body> = {}) => new TestClient(server.url).post('/contact', { ...body, ...change });
const mailerWith = (timeouts?: SmtpTimeouts) =>
  createSmtpMailer({ url: mail.url, from: 'no-reply@example.org', to: 'operator@example.org' }, timeouts);
const waiting = () => server.context.metadata.listMessages(100);
const log = { warn: (...given: unknown[]) => logged.push(given), error: (...given: unknown[]) => logged.push(given) };

/** Runs the job until the condition holds, then stops it. Each run acts as a separate process on the same database. */
async function runUntil(holds: () => boolean | Promise<boolean>, context: Context = server.context): Promise<void> {
  const stopping = new AbortController();
  const running = runMailOutbox(context, mailer, log, stopping.signal);
  await expect.poll(holds, { interval: 10 }).toBe(true);
  stopping.abort();
  await running;
}
const isEmpty = async () => (await waiting()).length === 0;
const failures = (count: number) => () => logged.length === count;

it('mails each message and each report once, and keeps no copy', async () => {
  await post();
  const client = new TestClient(server.url);
  const { pageID } = await client.send(new Uint8Array(100));
  await client.post('/report', { pageID, reason: '詐欺です' });
  await runUntil(isEmpty);
  server.wait(60 * MINUTE);
  await runUntil(isEmpty);
  expect(mail.mails).toHaveLength(2);
  const notice = mail.mails.find(({ text }) => text.includes('詐欺'));
  expect(notice!.text).toBe(`Page: ${pageID}\n\n詐欺です\n`);
  expect(notice!.headers.map(([name]) => name)).not.toContain('Reply-To');
  const first = mail.mails.find(({ text }) => text.includes('山田'));
  expect(first).toMatchObject({
    from: 'no-reply@example.org',
    to: ['operator@example.org'],
    text: 'Name: 山田 花子\nEmail: hanako@example.jp\n\nGrüße\n.\nと 😀\n',
  });
  expect(first!.headers).toContainEqual(['Reply-To', 'hanako@example.jp']);
  expect(first!.headers).toContainEqual(['Subject', 'Furoshiki: a message from the contact form']);
  expect(logged).toEqual([]);
});

describe('a mail server that refuses a message gets it later, once', () => {
  it.each<Mood>(['refuse-recipient', 'refuse-content', 'stall-greeting', 'stall-content'])('after %s', async (mood) => {
    await post();
    mail.moods.push(mood, mood);
    if (mood.startsWith('stall')) mailer = mailerWith(IMPATIENT);
    await runUntil(failures(1));
    server.wait(50 * SECOND);
    await runUntil(() => true);
    expect(mail.connections()).toBe(1);
    server.wait(10 * SECOND);
    await runUntil(failures(2));
    mailer = mailerWith();
    server.wait(2 * MINUTE);
    await runUntil(isEmpty);
    server.wait(60 * MINUTE);
    await runUntil(isEmpty);
    expect(mail.mails).toHaveLength(1);
    expect(mail.connections()).toBe(3);
  });

  it('after it was down', async () => {
    await post();
    await mail.down();
    await runUntil(failures(1));
    await mail.up();
    server.wait(MINUTE);
    await runUntil(isEmpty);
    expect(mail.mails).toHaveLength(1);
  });

  it('while other messages are sent', async () => {
    await post({ name: 'unlucky' });
    server.wait(1);
    await post({ name: 'lucky' });
    mail.moods.push('refuse-content');
    await runUntil(() => mail.mails.length === 1);
    expect(mail.mails[0]!.text).toContain('Name: lucky');
    expect(await waiting()).toMatchObject([{ text: expect.stringContaining('unlucky'), attempts: 1 }]);
  });
});

describe('a process that crashes', () => {
  /** Another server on the same database. */
  async function another(): Promise<Context & { close(): Promise<void> }> {
    const metadata = await createSqlMetadataStore(openSqlite(join(server.folder, 'furoshiki.db')));
    return { ...server.context, metadata, close: () => metadata.close() };
  }

  it('before the mail was accepted loses nothing: the mail is sent when the lease has ended, and not before', async () => {
    await post();
    const dying = await another();
    const stuck: Mailer = { send: () => new Promise(() => undefined) };
    void runMailOutbox(dying, stuck, log, new AbortController().signal);
    await expect.poll(waiting).toMatchObject([{ attempts: 1 }]);
    const next = await another();
    server.wait(LEASE_MS - 10 * SECOND);
    await runUntil(() => true, next);
    expect(mail.connections()).toBe(0);
    server.wait(10 * SECOND);
    await runUntil(isEmpty, next);
    expect(mail.mails).toHaveLength(1);
    await next.close();
    await dying.close();
  });

  it('is one of many that together send each message once', async () => {
    for (let n = 0; n < 12; n += 1) await post({ name: `visitor ${n}` });
    const others = [await another(), await another()];
    await Promise.all([server.context, ...others].map((context) => runUntil(isEmpty, context)));
    const visitors = mail.mails.map(({ text }) => Number(/visitor (\d+)/u.exec(text)?.[1]));
    expect(visitors.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    for (const other of others) await other.close();
  });
});

it('logs a failure as a code, without name, address or text', async () => {
  await post();
  mail.moods.push('refuse-recipient');
  await runUntil(failures(1));
  expect(logged).toEqual([
    [{ reason: 'EENVELOPE 450', attempts: 1 }, 'a mail could not be sent and will be tried again'],
  ]);
});

it('finishes the current message before it stops', async () => {
  for (let n = 0; n < 3; n += 1) await post();
  const stopping = new AbortController();
  const stopsMeanwhile: Mailer = {
    async send(message) {
      stopping.abort();
      return mailer.send(message);
    },
  };
  await runMailOutbox(server.context, stopsMeanwhile, log, stopping.signal);
  expect([mail.mails.length, (await waiting()).length]).toEqual([1, 2]);
});

it('sends a bounded number of messages per round', async () => {
  for (let n = 0; n < 25; n += 1) {
    await server.context.metadata.addMessage({
      id: `${n}`,
      subject: 's',
      text: 't',
      replyTo: undefined,
      createdAtMs: 0,
    });
  }
  const quick: Mailer = { send: async () => ({ outcome: 'sent' }) };
  const { metadata } = server.context;
  const [claimMessages, removeMessage] = [
    vi.fn<typeof metadata.claimMessages>(metadata.claimMessages),
    vi.fn<typeof metadata.removeMessage>(metadata.removeMessage),
  ];
  const context = { ...server.context, metadata: { ...metadata, claimMessages, removeMessage } };
  const stopping = new AbortController();
  const running = runMailOutbox(context, quick, log, stopping.signal);
  await vi.waitFor(() => expect(removeMessage).toHaveResolvedTimes(20), { timeout: 200_000 });
  // Another message would be claimed before the next turn of the event loop.
  await setImmediate();
  expect(claimMessages).toHaveBeenCalledTimes(20);
  stopping.abort();
  await running;
});

it('survives a database that fails', async () => {
  await post();
  let failing = true;
  const metadata: Context['metadata'] = {
    ...server.context.metadata,
    async claimMessages(...given) {
      if (failing) throw new Error('the database is locked');
      return server.context.metadata.claimMessages(...given);
    },
  };
  await runUntil(failures(1), { ...server.context, metadata });
  failing = false;
  await runUntil(isEmpty, { ...server.context, metadata });
  expect(mail.mails).toHaveLength(1);
});
