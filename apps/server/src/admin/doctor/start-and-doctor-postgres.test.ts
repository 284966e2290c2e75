// What PostgreSQL says at a failed start, and in the doctor, which leaves the database as it is.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findPostgres } from '../../../../../scripts/ensure-backends.mjs';
import { sharedPostgres } from '../../../testing/backends.ts';
import type { Postgres } from '../../../testing/postgres.ts';
import { freePort } from '../../../testing/process.ts';
import { diagnose, expectSameCause, type Settings } from '../../../testing/start-and-doctor.ts';
import { TestClient } from '../../../testing/test-client.ts';
import { readConfig } from '../../config/config.ts';
import { createServer } from '../../server.ts';

const PASSWORD = 'a-password-of-the-test';
const PROBLEM = 'the database of DATABASE_URL cannot be used';

describe.skipIf(findPostgres() === undefined)('PostgreSQL', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await sharedPostgres();
  });
  afterAll(() => postgres.stop());

  let DATA_DIR: string;
  let url: string;
  let user: string;
  beforeEach(async () => {
    DATA_DIR = await mkdtemp(join(tmpdir(), 'furoshiki-start-postgres-'));
    url = await postgres.newDatabase();
    user = `user_${randomBytes(6).toString('hex')}`;
    await run(`create role ${user} login password '${PASSWORD}'`);
  });
  afterEach(() => rm(DATA_DIR, { recursive: true }));

  async function run(sql: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(sql);
    await client.end();
    return rows;
  }

  /** The settings of a server whose DATABASE_URL has these parts, and a password. */
  function settingsWith(changes: Partial<Pick<URL, 'username' | 'port' | 'hostname' | 'pathname'>> = {}): Settings {
    return { DATA_DIR, DATABASE_URL: Object.assign(new URL(url), { password: PASSWORD, ...changes }).href };
  }

  const causeOf = async (settings: Settings, code: string) =>
    (await expectSameCause(settings, new RegExp(`^${PROBLEM} \\(${code}`, 'u'))).advice;
  const tables = () => run("select tablename from pg_tables where schemaname = 'public'");

  it('28P01: a wrong password', async () => {
    const hba = join(await postgres.flushedDataFolder(), 'pg_hba.conf');
    await writeFile(hba, `host all ${user} 127.0.0.1/32 scram-sha-256\n${await readFile(hba, 'utf8')}`);
    await run('select pg_reload_conf()');
    await run(`alter role ${user} password 'another'`);
    expect(await causeOf(settingsWith({ username: user }), '28P01: password')).toContain(
      'the password in DATABASE_URL',
    );
  });

  it.each([
    ['3D000: no such database', () => settingsWith({ pathname: '/no_such_database' }), 'create the database'],
    ['28000: no such user', () => settingsWith({ username: 'no_such_user' }), 'pg_hba.conf'],
    ['ECONNREFUSED', () => settingsWith({ port: '1' }), 'nothing listens there'],
    ['ENOTFOUND|EAI_AGAIN', () => settingsWith({ hostname: 'database.invalid' }), 'host name'],
  ])('%s', async (code, settings, advice) => {
    expect(await causeOf(settings(), `(?:${code.split(':')[0] ?? ''})`)).toContain(advice);
  });

  it.each([
    ['42501: no permission', 'select 1', 'own the database'],
    ['53300: too many connections', `alter role USER connection limit 0`, 'DATABASE_CONNECTIONS'],
    ['25006: read-only', `alter role USER set default_transaction_read_only = on`, 'not a replica'],
  ])('%s', async (code, sql, advice) => {
    await run(sql.replace('USER', user));
    expect(await causeOf(settingsWith({ username: user }), code.slice(0, 5))).toContain(advice);
    expect(await tables()).toEqual([]);
  });

  it('25006: read-only, with tables', async () => {
    await (await start()).stop();
    const name = new URL(url).pathname.slice(1);
    await run(`alter database ${name} set default_transaction_read_only = on`);
    expect(await causeOf(settingsWith(), '25006')).toContain('not a replica');
  });

  it('is not set up by the doctor', async () => {
    const { failing } = await diagnose(settingsWith());
    expect(failing.map(({ text }) => text)).toContain('the database of DATABASE_URL has no tables yet');
    expect(await tables()).toEqual([]);
  });

  it('has a database of a newer version', async () => {
    await (await start()).stop();
    await run("insert into kysely_migration values ('999-later', '2030-01-01')");
    const { advice } = await expectSameCause(
      settingsWith(),
      /^the database of DATABASE_URL is from a newer version of/u,
    );
    expect(advice).toBe('start that version, or restore the back-up from before the upgrade');
  });

  it('knows files that are not in the folder', async () => {
    const server = await start();
    await new TestClient(await server.listen()).send(new Uint8Array(10));
    await server.stop();
    await rm(join(DATA_DIR, 'objects'), { recursive: true });
    await expectSameCause(settingsWith(), /objects has none of the files that the database knows$/u);
  });

  const start = () =>
    createServer(readConfig({ PORT: '0', MIN_FREE_DISK_BYTES: '0', ...settingsWith() }), {
      webRoot: import.meta.dirname,
      announceMs: 0,
    });

  it('can be replaced after a first start that failed', async () => {
    await causeOf(settingsWith({ port: String(await freePort()) }), 'ECONNREFUSED');
    const other = readConfig({ PORT: '0', DATA_DIR: join(DATA_DIR, 'other') });
    for (const server of [await start(), await createServer(other)]) {
      const { metadata, objects } = server.context;
      expect(await objects.readOwner()).toBe(await metadata.databaseId());
      await server.stop();
    }
  });
});
