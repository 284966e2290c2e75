import { expect, it } from 'vitest';
import { isEmailAddress } from './limits.ts';

it.each([
  'a@b.c',
  'first.last+tag@mail.example.org',
  "o'neil_{x}!#$%&*/=?^`|~-@example.org",
  'jörg@müller.example',
  '名前@例え.jp',
  `${'a'.repeat(242)}@example.org`,
])('%j is an email address', (text) => {
  expect(isEmailAddress(text)).toBe(true);
});

it.each([
  '',
  'a',
  'a@b',
  '@b.c',
  'a@.c',
  'a@b.',
  'a@b@c.d',
  'a b@c.d',
  ' a@b.c',
  'a@b.c\n',
  'a@b.c\r\nBcc: x@y.z',
  'a@b.c\nBcc:x@y.z',
  'a\u2028@b.c',
  'a\u2029@b.c',
  'a\u0085@b.c',
  'a\0@b.c',
  'a\u200b@b.c',
  'a\u202e@b.c',
  'a\ud800@b.c',
  'a,x@y.z',
  'a@b.c,x@y.z',
  'a@b.c;x@y.z',
  '<a@b.c>',
  'x<a@b.c>',
  '"a"@b.c',
  'a(x)@b.c',
  'group:a@b.c',
  'a@[127.0.0.1]',
  String.raw`a\@b.c`,
  `${'a'.repeat(243)}@example.org`,
])('%j is none', (text) => {
  expect(isEmailAddress(text)).toBe(false);
});
