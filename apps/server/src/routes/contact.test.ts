import { CONTACT_LENGTH } from '@furoshiki/api';
import { describe, expect, it } from 'vitest';
import { freshServerPerTest } from '../../testing/fresh-server.ts';

const fresh = freshServerPerTest();

const body = { name: '山田 花子', email: 'hanako@example.jp', message: 'Grüße\n\nと 😀' };
const post = (change: Record<string, unknown> = {}, headers?: Record<string, string>) =>
  fresh.client.post('/contact', { ...body, ...change }, headers);
const kept = () => fresh.server.context.metadata.listMessages(10);

it('stores a message for the operator before it responds', async () => {
  const reply = await post();
  expect([reply.status, reply.body]).toEqual([200, { success: true }]);
  expect(await kept()).toEqual([
    {
      id: expect.stringMatching(/^[\w-]{22}$/u),
      subject: 'Furoshiki: a message from the contact form',
      text: 'Name: 山田 花子\nEmail: hanako@example.jp\n\nGrüße\n\nと 😀\n',
      replyTo: 'hanako@example.jp',
      createdAtMs: expect.any(Number),
      attempts: 0,
    },
  ]);
});

describe('a message', () => {
  it.each<[string, Record<string, unknown>]>([
    ['white space around every field', { name: ' \tA\n', email: ' a@b.c \r\n', message: '\n\nB\n\n' }],
    [
      'everything at its longest',
      {
        name: 'あ'.repeat(CONTACT_LENGTH.name),
        email: `${'a'.repeat(CONTACT_LENGTH.email - 6)}@b.com`,
        message: 'あ'.repeat(CONTACT_LENGTH.message),
      },
    ],
    ['a name with joiners, quotes and signs', { name: 'نام‌خانوادگی "O\'Neil" <x>, 👩‍👩‍👧' }],
  ])('is accepted with %s', async (_, change) => {
    expect((await post(change)).status).toBe(200);
    expect(await kept()).toHaveLength(1);
  });

  it('is trimmed', async () => {
    await post({ name: ' \tA\n', email: ' a@b.c \r\n', message: '\n\nB\n\n' });
    expect(await kept()).toMatchObject([{ text: 'Name: A\nEmail: a@b.c\n\nB\n', replyTo: 'a@b.c' }]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['no name', { name: undefined }],
    ['a blank name', { name: ' \u3000\n' }],
    ['a name that is not a string', { name: ['a'] }],
    ['a name that is too long', { name: 'a'.repeat(CONTACT_LENGTH.name + 1) }],
    ['a name with a line break', { name: 'a\nEmail: x@y.z' }],
    ['a name with a carriage return', { name: 'a\rb' }],
    ['a name with a line separator', { name: 'a\u2028b' }],
    ['a name with a paragraph separator', { name: 'a\u2029b' }],
    ['a name with a next-line character', { name: 'a\u0085b' }],
    ['a name with NUL', { name: 'a\0b' }],
    ['a name that UTF-8 cannot hold', { name: 'a\ud800' }],
    ['no email', { email: undefined }],
    ['a blank email', { email: ' ' }],
    ['an email that is not a string', { email: { address: 'a@b.c' } }],
    ['an email that is too long', { email: `${'a'.repeat(CONTACT_LENGTH.email - 5)}@b.com` }],
    ['no message', { message: undefined }],
    ['a blank message', { message: '\n \t' }],
    ['a message that is too long', { message: 'a'.repeat(CONTACT_LENGTH.message + 1) }],
    ['a message with NUL', { message: 'a\0b' }],
    ['a message that UTF-8 cannot hold', { message: 'a\udfff' }],
  ])('is refused with %s', async (_, change) => {
    const reply = await post(change);
    expect([reply.status, reply.body.errorCode]).toEqual([400, 'VALIDATION_FAILED']);
    expect(await kept()).toEqual([]);
  });

  it.each([
    'a',
    'a@b',
    'a@b@c.d',
    'a b@c.d',
    'a@b.c\r\nBcc: x@y.z',
    'a@b.c\nBcc:x@y.z',
    'a\u2028@b.c',
    'a@b.c,x@y.z',
    'a@b.c;x@y.z',
    '<a@b.c>',
    'A <a@b.c>',
    '"a\r\n"@b.c',
  ])('is refused with the email %j and its own error code', async (email) => {
    const reply = await post({ email });
    expect([reply.status, reply.body.errorCode]).toEqual([400, 'INVALID_EMAIL']);
    expect(await kept()).toEqual([]);
  });

  it('reports a bad email in the reader’s language', async () => {
    const textIn = async (language: string) =>
      (await post({ email: 'a' }, { 'accept-language': language })).body.message;
    expect(await textIn('en')).toBe('Please enter a valid email address.');
    expect(await textIn('ja')).toBe('有効なメールアドレスを入力してください。');
  });

  it('needs the security token', async () => {
    const response = await fresh.server.fetch(`${fresh.server.url}/api/contact`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(403);
    expect(await kept()).toEqual([]);
  });

  it('is accepted only as POST', async () => {
    expect((await fresh.client.get('/contact')).body.errorCode).toBe('METHOD_NOT_ALLOWED');
  });
});

it('limits messages per address, separately from other calls', async () => {
  await fresh.restart({ config: { CONTACTS_PER_HOUR: 2 } });
  expect([(await post()).status, (await post()).status]).toEqual([200, 200]);
  const refused = await post();
  expect([refused.status, refused.body.errorCode]).toEqual([429, 'RATE_LIMITED']);
  expect((await fresh.client.init()).status).toBe(200);
  expect(await kept()).toHaveLength(2);
});
