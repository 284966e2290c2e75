import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { mailSettings } from './settings.ts';

const read = (environment: Record<string, string>) => mailSettings(readConfig(environment));
const url = 'smtps://user:p%40ss@mail.example.org:465';

it('sends no mail without a mail server', () => {
  expect(read({})).toBeUndefined();
  expect(read({ CONTACT_EMAIL: 'help@example.org', MAIL_FROM: 'from@example.org' })).toBeUndefined();
});

it('sends from the contact address, or from MAIL_FROM', () => {
  const to = 'help@example.org';
  expect(read({ SMTP_URL: url, CONTACT_EMAIL: to })).toEqual({ url, to, from: to });
  const from = 'no-reply@example.org';
  expect(read({ SMTP_URL: url, CONTACT_EMAIL: to, MAIL_FROM: from })).toEqual({ url, to, from });
});

describe('wrong settings stop the start with a reason', () => {
  it.each<[string, Record<string, string>, string]>([
    ['no address to send to', { SMTP_URL: url }, 'SMTP_URL is set, so CONTACT_EMAIL must say where the mail goes'],
    ['a malformed recipient', { CONTACT_EMAIL: 'a@b.c, d@e.f' }, 'CONTACT_EMAIL must be an email address'],
    ['a malformed sender', { MAIL_FROM: 'Me <a@b.c>' }, 'MAIL_FROM must be an email address'],
    ['text that is not a URL', { SMTP_URL: 'mail.example.org' }, 'SMTP_URL must be a URL'],
    ['another protocol', { SMTP_URL: 'https://mail.example.org' }, 'SMTP_URL must be a URL'],
    ['no host', { SMTP_URL: 'smtp://' }, 'SMTP_URL must be a URL'],
    ['a path', { SMTP_URL: 'smtp://mail.example.org/x' }, 'SMTP_URL must be a URL'],
    ['an option that logs mail', { SMTP_URL: 'smtp://mail.example.org?logger=true' }, 'SMTP_URL must be a URL'],
    ['an option that disables a timeout', { SMTP_URL: 'smtp://x.example?socketTimeout=0' }, 'SMTP_URL must be a URL'],
  ])('for %s', (_, environment, line) => {
    expect(() => read(environment)).toThrowError(line);
  });
});

it.each([
  'smtp://localhost',
  'smtp://localhost:25/?ignoreTLS=true',
  'smtp://u:p@mail.example.org:587?requireTLS=true&tls.rejectUnauthorized=false',
])('accepts %s', (SMTP_URL) => {
  expect(read({ SMTP_URL, CONTACT_EMAIL: 'a@b.c' })?.url).toBe(SMTP_URL);
});
