// Whatever stops a start, the doctor names the same cause. Causes on one machine; start-and-doctor-*.test.ts have those elsewhere.
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type MadeCertificate, makeCertificate } from '../../../testing/certificate.ts';
import { freePort } from '../../../testing/process.ts';
import { diagnose, expectSameCause } from '../../../testing/start-and-doctor.ts';
import { migratorOf } from '../../adapters/sql/migrations.ts';
import { openSqlite } from '../../adapters/sql/sqlite/sqlite.ts';
import { readConfig } from '../../config/config.ts';
import { openDataFolder } from '../../config/data-folder.ts';
import { createServer } from '../../server.ts';

let one: MadeCertificate;
let other: MadeCertificate;
beforeAll(async () => {
  [one, other] = await Promise.all([makeCertificate(), makeCertificate()]);
});
afterAll(async () => {
  await one.discard();
  await other.discard();
});

/** A folder that does not exist yet, in one that does. */
let DATA_DIR: string;
let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'furoshiki-start-'));
  DATA_DIR = join(parent, 'data');
});
afterEach(() => rm(parent, { recursive: true }));

const startOnce = async () => (await createServer(readConfig({ DATA_DIR, PORT: '0' }))).stop();

describe('settings', () => {
  const keys = { S3_ACCESS_KEY_ID: 'an-access-key', S3_SECRET_ACCESS_KEY: 'a-secret-key' };
  const bucket = { S3_BUCKET: 'bucket', S3_ENDPOINT: 'http://127.0.0.1:1', MAX_STORED_BYTES: '1GB' };

  it.each<[string, Record<string, string>, RegExp]>([
    ['mail without a recipient', { SMTP_URL: 'smtp://127.0.0.1:1' }, /^SMTP_URL is set, so CONTACT_EMAIL must/u],
    ['half of the analytics', { ANALYTICS_SERVICE: 'umami' }, /^ANALYTICS_SERVICE, ANALYTICS_URL and/u],
    ['hidden and plain names', { HIDE_NAMES: 'always', ALLOW_UNENCRYPTED: 'true' }, /^HIDE_NAMES=always and ALLOW_/u],
    ['a sign-in without a token', { SIGN_IN: 'true' }, /^SIGN_IN=true needs UPLOAD_TOKEN/u],
    ['a bucket without a limit', { ...bucket, ...keys, MAX_STORED_BYTES: '' }, /^MAX_STORED_BYTES must be set/u],
    ['half of the keys', { ...bucket, S3_ACCESS_KEY_ID: 'an-access-key' }, /^S3_ACCESS_KEY_ID and S3_SECRET/u],
    ['no secret', { ...bucket, ...keys, DATABASE_URL: 'postgres://127.0.0.1:1/none' }, /^SECRET must be set/u],
    ['any proxy', { TRUST_PROXY: '1', HOST: '0.0.0.0' }, /^TRUST_PROXY is a number/u],
    ['a key without certificate', { TLS_KEY_FILE: 'key.pem' }, /^TLS_KEY_FILE is set, so TLS_CERT_FILE/u],
    [
      'missing certificates',
      { TLS_KEY_FILE: 'k', TLS_CERT_FILE: '/no/c' },
      /^TLS_CERT_FILE \/no\/c cannot be read \(ENOENT\)/u,
    ],
  ])('%s', async (_, settings, problem) => {
    await expectSameCause({ DATA_DIR, ...settings }, problem);
    expect(await readdir(parent)).toEqual([]);
  });

  it('the key of another certificate', async () => {
    const pair = { TLS_CERT_FILE: one.certFile, TLS_KEY_FILE: other.keyFile };
    await expectSameCause({ DATA_DIR, ...pair }, /^TLS_KEY_FILE \S+ is not the key of TLS_CERT_FILE/u);
  });
});

describe('the data folder', () => {
  it('below a file', async () => {
    await writeFile(join(parent, 'file'), '');
    for (const path of ['file', 'file/data']) {
      const problem = /^DATA_DIR \S+ cannot be written \(ENOTDIR\)$/u;
      const { advice } = await expectSameCause({ DATA_DIR: join(parent, path) }, problem);
      expect(advice).toContain('is a file');
    }
  });

  it('whose disk is not mounted', async () => {
    await startOnce();
    await rm(join(DATA_DIR, 'objects'), { recursive: true });
    await expectSameCause({ DATA_DIR }, /objects is not the folder that the database knows: is its disk mounted\?$/u);
    expect(await readdir(DATA_DIR)).not.toContain('objects');
  });

  it('with a damaged secret, or one that cannot be read', async () => {
    await startOnce();
    await writeFile(join(DATA_DIR, 'secret'), 'my own words');
    await expectSameCause({ DATA_DIR }, /secret is damaged: it must hold 64 hexadecimal digits$/u);
    await rm(join(DATA_DIR, 'secret'));
    await mkdir(join(DATA_DIR, 'secret'));
    await expectSameCause({ DATA_DIR }, /secret cannot be read \(EISDIR\)$/u);
  });
});

describe('the database', () => {
  it('that is none', async () => {
    await startOnce();
    await writeFile(join(DATA_DIR, 'furoshiki.db'), 'x'.repeat(10_000));
    const { advice } = await expectSameCause({ DATA_DIR }, /furoshiki\.db cannot be used \(file is not a database\)$/u);
    expect(advice).toContain('restore the last back-up');
  });

  it('of a newer version', async () => {
    await startOnce();
    const database = new DatabaseSync(join(DATA_DIR, 'furoshiki.db'));
    database.exec("insert into kysely_migration values ('999-later', '2030-01-01')");
    database.close();
    const { advice } = await expectSameCause({ DATA_DIR }, /furoshiki\.db is from a newer version of Furoshiki$/u);
    expect(advice).toBe('start that version, or restore the back-up from before the upgrade');
  });

  it('of another store', async () => {
    await startOnce();
    await writeFile(join(DATA_DIR, 'objects', '.furoshiki'), 'another database');
    await expectSameCause({ DATA_DIR }, /objects belongs to another database$/u);
  });

  it('that was removed', async () => {
    await startOnce();
    await rm(join(DATA_DIR, 'furoshiki.db'));
    const { failing } = await diagnose({ DATA_DIR });
    expect(failing.map(({ text }) => text)).toContainEqual(expect.stringMatching(/belongs to another database$/u));
    expect(await readdir(DATA_DIR)).not.toContain('furoshiki.db');
    await expectSameCause({ DATA_DIR }, /objects belongs to another database$/u);
  });
});

describe('the doctor changes nothing', () => {
  it('where no server has started yet', async () => {
    await mkdir(DATA_DIR, { mode: 0o700 });
    const { failing } = await diagnose({ DATA_DIR });
    expect(failing.map(({ name }) => name)).toEqual(['secret', 'database', 'storage', 'web app']);
    expect(await readdir(DATA_DIR)).toEqual([]);
  });

  it('in a database of an older version', async () => {
    const { database: path } = await openDataFolder(DATA_DIR);
    const { db } = openSqlite(path);
    await migratorOf(db).migrateTo('006-unsent-bytes');
    await sql`pragma user_version = 0`.execute(db);
    await db.destroy();
    const before = await readFile(path);
    const { printed } = await diagnose({ DATA_DIR });
    expect(printed).toContain(`warning database: the database ${path} is from an older version`);
    expect((await readFile(path)).equals(before)).toBe(true);
  });
});

describe('the port', () => {
  it('in use by another program', async () => {
    const program = createTcpServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(program, 'listening');
    const port = String((program.address() as { port: number }).port);
    await expectSameCause({ DATA_DIR, PORT: port }, /^PORT \d+ on 127\.0\.0\.1 is in use$/u);
    const metrics = { DATA_DIR, PORT: String(await freePort()), METRICS_PORT: port };
    await expectSameCause(metrics, /^METRICS_PORT \d+ on 127\.0\.0\.1 is in use$/u);
    program.close();
  });

  it('given twice, or on an address that the machine does not have', async () => {
    const PORT = String(await freePort());
    await expectSameCause({ DATA_DIR, PORT, METRICS_PORT: PORT }, /^METRICS_PORT \d+ on 127\.0\.0\.1 is in use$/u);
    await expectSameCause({ DATA_DIR, PORT, HOST: '192.0.2.1' }, /^cannot listen on HOST 192\.0\.2\.1, PORT/u);
  });
});
