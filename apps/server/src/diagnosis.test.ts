import { once } from 'node:events';
import { createServer } from 'node:http';
import { get } from 'node:https';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { adviceFor as adviceIn, reasonOf, type Service } from './diagnosis.ts';

const adviceFor = (error: unknown, service: Service) => adviceIn(error, service, '/tmp');

const coded = (code: string) => Object.assign(new Error('a text with a secret'), { code });
const named = (name: string, more: object = {}) => Object.assign(new Error('a text with a secret'), { name, ...more });

it.each([
  ['CERT_HAS_EXPIRED', /renew it/u],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /for another name/u],
  ['SELF_SIGNED_CERT_IN_CHAIN', /NODE_EXTRA_CA_CERTS/u],
  ['ETIMEDOUT', /does not respond/u],
])('explains %s for a database as for a store, wrapped or not', (code, advice) => {
  const wrapped = new Error('outside', { cause: new AggregateError([coded(code)], 'inside') });
  for (const error of [coded(code), wrapped]) {
    expect(reasonOf(error)).toBe(code);
    expect(adviceFor(error, 's3')).toMatch(advice);
    expect(adviceFor(error, 'postgres')).toBe(adviceFor(error, 's3'));
  }
});

it.each([
  [named('TimeoutError'), 'ETIMEDOUT', /does not respond/u],
  [
    named('CredentialsProviderError', { cause: coded('ENOENT') }),
    'CredentialsProviderError',
    /give this machine a role/u,
  ],
  [named('403', { $metadata: { httpStatusCode: 403 } }), 'AccessDenied', /permissions/u],
  [named('UnknownError', { $metadata: { httpStatusCode: 404 } }), 'NotFound', /no such bucket/u],
  [named('UnknownError', { $metadata: { httpStatusCode: 418 } }), 'status 418', /check S3_BUCKET/u],
  [named('SlowDown', { $metadata: { httpStatusCode: 503 } }), 'SlowDown', /check S3_BUCKET/u],
  [named('Failure', { code: 'SERVICE_UNAVAILABLE', engineCode: 'ETIMEDOUT' }), 'ETIMEDOUT', /does not respond/u],
])('explains %s of a store as %s', (error, reason, advice) => {
  expect(reasonOf(error)).toBe(reason);
  expect(adviceFor(error, 's3')).toMatch(advice);
});

it('calls a connection that a pool gave up a timeout', () => {
  const cause = new Error('Connection terminated unexpectedly');
  const error = new Error('Connection terminated due to connection timeout', { cause });
  expect([reasonOf(error), adviceFor(error, 'postgres')]).toEqual([
    'ETIMEDOUT',
    expect.stringContaining('not respond'),
  ]);
});

it.each([
  ['ENOSPC', /make room/u],
  ['EROFS', /mount it writable/u],
  ['EACCES', /chown -R \d+:\d+ \/tmp /u],
  ['EPERM', /chown -R \d+:\d+ \/tmp /u],
])('explains %s of a folder, and of a file of SQLite', (code, advice) => {
  expect(adviceFor(coded(code), 'disk')).toMatch(advice);
  expect(adviceFor(coded(code), 'sqlite')).toMatch(advice);
});

it('prints the command that gives a folder to the user of this process, or creates it', () => {
  const [user, group] = [process.geteuid?.(), process.getegid?.()];
  const advice = (folder: string) => adviceIn(coded('EACCES'), 'disk', folder);
  expect(advice('/tmp')).toBe(
    `it must belong to user ${user}, with everything in it. Run as root: chown -R ${user}:${group} /tmp ` +
      '(if this is a container, do so on its host, with the folder that is mounted at /tmp)',
  );
  expect(advice("/no/such folder's")).toContain(
    String.raw`install -d -m 700 -o ${user} -g ${group} '/no/such folder'\''s' `,
  );
});

it('prints the text of SQLite and of PostgreSQL, in one line', () => {
  const severity = { code: '57P03', severity: 'FATAL', message: 'the database system\nis starting up' };
  expect(reasonOf(Object.assign(new Error(), severity))).toBe('57P03: the database system is starting up');
  const open = () => new DatabaseSync('/no/such/folder/file');
  expect(open).toThrowError(expect.toSatisfy((error) => /unable to open/u.test(reasonOf(error))));
  expect(open).toThrowError(expect.toSatisfy((error) => /chown -R/u.test(adviceFor(error, 'sqlite'))));
  expect(reasonOf('a string')).toBe('a string');
});

it('gives advice about a port that does not speak TLS', async () => {
  const plain = createServer().listen(0, '127.0.0.1');
  await once(plain, 'listening');
  const { port } = plain.address() as { port: number };
  const [error] = await once(get({ host: '127.0.0.1', port }), 'error');
  plain.close();
  expect(adviceFor(error, 's3')).toContain('http:// and https://');
});
