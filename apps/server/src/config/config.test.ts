import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

const GB = 1024 ** 3;

it('uses the default of a variable that is unset or empty', () => {
  expect(readConfig({})).toMatchObject({ PORT: 3000, S3_PROXY: false, MIN_FREE_DISK_BYTES: GB, LOG_LEVEL: 'warn' });
  expect(readConfig({ PORT: '' }).PORT).toBe(3000);
  expect(readConfig({ SECRET: '' }).SECRET).toBeUndefined();
});

it.each([
  ['PORT', '0', 0],
  ['S3_PROXY', 'true', true],
  ['MAX_STORED_BYTES', '20 GB', 20 * GB],
  ['MAX_STORED_BYTES', '500', 500],
  ['TRUST_PROXY', '2', 2],
  ['TRUST_PROXY', '10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
  ['TRUST_PROXY', 'loopback, uniquelocal', ['loopback', 'uniquelocal']],
  ['PUBLIC_ORIGIN', 'https://files.example.org', 'https://files.example.org'],
  ['S3_ENDPOINT', 'http://localhost:9000/path', 'http://localhost:9000/path'],
  ['OPERATOR_NAME', '風呂敷 <b>&Co</b>', '風呂敷 <b>&Co</b>'],
  ['OPERATOR_ADDRESS', String.raw`1 Example Street\nSpringfield, Example`, '1 Example Street\nSpringfield, Example'],
  ['HIDE_NAMES', 'always', 'always'],
  ['TERMS_DATE', '2028-02-29', '2028-02-29'],
  ['DATABASE_URL', 'postgres:///furoshiki?host=/run/postgresql', 'postgres:///furoshiki?host=/run/postgresql'],
  ['DATABASE_URL', 'postgres://u:p@one,two:5433/name', 'postgres://u:p@one,two:5433/name'],
] as const)('reads %s=%s', (name, text, value) => {
  expect(readConfig({ [name]: text })[name]).toEqual(value);
});

describe('a value that does not fit stops the start', () => {
  it.each([
    ['PORT', ['65536', '-1', '1.5', '1e3', ' 1'], 'a port number from 0 to 65535'],
    ['S3_PROXY', ['TRUE', 'yes', '1'], 'true or false'],
    ['MAX_STORED_BYTES', ['1kb', '1.5GB', '9007199254740993', '-1'], 'a size such as 500MB, 20GB or 2TB'],
    ['TRUST_PROXY', ['proxy', '10.0.0.0/33', '::1/129', '10.0.0.1,', '1.2.3.4/8/8'], 'addresses and networks such as'],
    ['PUBLIC_ORIGIN', ['files.example.org', 'https://a.b/', 'ftp://a.b'], 'an origin such as'],
    ['S3_ENDPOINT', ['HTTPS://a.b', 'https://a.b?x', 'https://a.b#x'], 'a URL such as https://s3.example.org'],
    [
      'DATABASE_URL',
      ['postgres://host', 'mysql://host/db', 'postgres:///db', 'postgres://one,/db', 'postgres://one:x,two/db'],
      'a URL such as postgres://',
    ],
    ['SECRET', ['x'.repeat(31)], 'a text of at least 32 characters'],
    ['OPERATOR_PHONE', [' ', 'a\nb', '1'.repeat(101)], 'a telephone number, in one line of at most 100 characters'],
    ['OPERATOR_NAME', [' ', 'a\nb', 'x'.repeat(201)], 'a name, in one line of at most 200 characters'],
    ['OPERATOR_ADDRESS', [String.raw`\n`, 'a\tb', 'x'.repeat(501)], 'a postal address of at most 500 characters'],
    ['OPERATOR_CONTACT', ['javascript:alert(1)', 'http://a.b', 'a'], 'an email address, or a URL'],
    ['TERMS_DATE', ['2027-02-29', '1 March 2025', '2025-3-1'], 'a date such as 2026-01-31'],
    ['HIDE_NAMES', ['true', 'never'], 'one of choice, always'],
    ['LOG_LEVEL', ['verbose'], 'one of silent, fatal, error, warn, info, debug, trace'],
  ])('for %s', (name, texts, expected) => {
    for (const text of texts) expect(() => readConfig({ [name]: text })).toThrowError(`${name} must be ${expected}`);
  });
});
