import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MailServer, type Mood, startMailServer } from '../../../testing/mail-server.ts';
import type { NewMessage } from '../../ports/messages.ts';
import { createSmtpMailer, type SmtpTimeouts } from './smtp-mailer.ts';

const settings = { from: 'no-reply@example.org', to: 'operator@example.org' };
const message: NewMessage = {
  id: 'an-id',
  subject: 'A subject',
  text: 'Name: 山田 花子\n\nGrüße 😀\n.\n.two dots: ..\nFrom here = there\n  indented \n',
  replyTo: 'visitor@example.com',
  createdAtMs: Date.UTC(2027, 0, 2, 3, 4, 5),
};

let server: MailServer;
beforeEach(async () => {
  server = await startMailServer();
});
afterEach(() => server.down());

const mailer = () => createSmtpMailer({ url: server.url, ...settings });

it('sends one text to the operator, with Reply-To of the visitor and our own From', async () => {
  expect(await mailer().send(message)).toEqual({ outcome: 'sent' });
  expect(server.mails).toEqual([
    {
      from: 'no-reply@example.org',
      to: ['operator@example.org'],
      headers: [
        ['From', 'Furoshiki <no-reply@example.org>'],
        ['To', 'operator@example.org'],
        ['Reply-To', 'visitor@example.com'],
        ['Subject', 'A subject'],
        ['Message-ID', '<an-id@example.org>'],
        ['Date', 'Sat, 02 Jan 2027 03:04:05 +0000'],
        ['Content-Transfer-Encoding', 'quoted-printable'],
        ['MIME-Version', '1.0'],
        ['Content-Type', 'text/plain; charset=utf-8'],
      ],
      text: message.text,
    },
  ]);
});

it('sends the same mail for every retry', async () => {
  await mailer().send(message);
  await mailer().send(message);
  expect(server.mails[1]).toEqual(server.mails[0]);
});

it.each([
  'a@b.example\r\nBcc: x@evil.example',
  'a@b.example\nBcc: x@evil.example\n\nanother text',
  'a@b.example\rBcc: x@evil.example',
  'a@b.example\u2028Bcc: x@evil.example',
  'a@b.example\u0085Bcc: x@evil.example',
  'a@b.example, x@evil.example',
  'a@b.example; x@evil.example',
  'a,x@evil.example',
  'x <x@evil.example>, a@b.example',
  'a@b.example> , <x@evil.example',
  'group: x@evil.example, a@b.example;',
  '"\r\nBcc: x@evil.example\r\n"@b.example',
])('makes no second address and no header from %j, although such input is refused before', async (replyTo) => {
  expect(await mailer().send({ ...message, replyTo })).toEqual({ outcome: 'sent' });
  const [mail] = server.mails;
  expect(mail!.to).toEqual(['operator@example.org']);
  expect(mail!.headers.map(([name]) => name).toSorted()).toEqual([
    'Content-Transfer-Encoding',
    'Content-Type',
    'Date',
    'From',
    'MIME-Version',
    'Message-ID',
    'Subject',
    'To',
  ]);
  expect(mail!.text).toBe(message.text);
});

it('puts an address in another script only into the text, because not every server accepts it in a header', async () => {
  await mailer().send({ ...message, replyTo: '名前@例え.jp' });
  await mailer().send({ ...message, replyTo: undefined });
  for (const mail of server.mails) expect(mail.headers.map(([name]) => name)).not.toContain('Reply-To');
  await mailer().send({ ...message, replyTo: 'a@müller.example' });
  expect(server.mails[2]!.headers).toContainEqual(['Reply-To', expect.stringContaining('xn--mller-kva.example')]);
});

it('sends the decoded name and password of the URL', async () => {
  const given: unknown[] = [];
  const guarded = await startMailServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, callback) {
      given.push([username, password]);
      callback(null, { user: username ?? '' });
    },
  });
  const url = guarded.url.replace('//', '//me%40example.org:p%3A%2Fss@');
  expect(await createSmtpMailer({ url, ...settings }).send(message)).toEqual({ outcome: 'sent' });
  expect(given).toEqual([['me@example.org', 'p:/ss']]);
  await guarded.down();
});

describe('a mail that is not accepted fails with a code, in time', () => {
  it.each<[Mood, string]>([
    ['refuse-recipient', 'EENVELOPE 450'],
    ['refuse-content', 'EMESSAGE 451'],
  ])('on %s: %s', async (mood, reason) => {
    server.moods.push(mood);
    expect(await mailer().send(message)).toEqual({ outcome: 'failed', reason });
    expect(server.mails).toEqual([]);
  });

  const LONG = 60_000;
  it.each<[Mood, SmtpTimeouts]>([
    ['stall-greeting', { connectionMs: LONG, greetingMs: 200, socketMs: LONG }],
    ['stall-greeting', { connectionMs: 200, greetingMs: LONG, socketMs: LONG }],
    ['stall-content', { connectionMs: LONG, greetingMs: LONG, socketMs: 300 }],
  ])('on %s, within %j', async (mood, timeouts) => {
    server.moods.push(mood);
    const impatient = createSmtpMailer({ url: server.url, ...settings }, timeouts);
    expect(await impatient.send(message)).toEqual({ outcome: 'failed', reason: 'ETIMEDOUT' });
    expect(server.mails).toEqual([]);
  });

  it('when no server is listening', async () => {
    await server.down();
    expect(await mailer().send(message)).toEqual({ outcome: 'failed', reason: 'ESOCKET' });
    await server.up();
  });
});
