// Breaks one thing at a time that the service needs, and expects the doctor to name it.
import { once } from 'node:events';
import { chmod, chown, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startMailServer } from '../../../testing/mail-server.ts';
import { createPatient, type Patient } from '../../../testing/patient.ts';
import { testTools } from '../../../testing/test-tools.ts';
import { createS3Clients } from '../../adapters/s3/s3-clients.ts';
import { createS3Store } from '../../adapters/s3/s3-store.ts';
import { createSmtpMailer } from '../../adapters/smtp/smtp-mailer.ts';
import type { MailServer } from '../../ports/messages.ts';
import { secureOrigin } from './public-address.ts';
import { doctor } from './doctor.ts';

const NOBODY = 65_534;
let patient: Patient;
let folder: string;
let diagnose: Patient['diagnose'];
beforeEach(async () => {
  patient = await createPatient();
  ({ folder, diagnose } = patient);
});
afterEach(() => patient.discard());

it('finds nothing wrong on a healthy server, runs every check, and leaves nothing behind', async () => {
  const { names, findings, lines } = await diagnose();
  expect(names).toEqual([]);
  expect(findings.map(({ name, state }) => `${state} ${name}`)).toEqual([
    'ok settings',
    'ok data folder',
    'ok secret',
    'ok database',
    'ok storage',
    'skipped strangers',
    'ok free disk',
    'ok web app',
    'skipped signed manifest',
    'skipped port',
    'skipped secure origin',
    'skipped reachable',
    'skipped TLS versions',
    'skipped HSTS',
    'skipped clock',
    'skipped trusted proxy',
    'skipped proxy buffering',
    'skipped unchanged pages',
    'skipped sign-in',
    'skipped CORS preflight',
    'skipped lifecycle',
    'skipped SMTP',
    'skipped legal pages',
  ]);
  expect(lines.at(-1)).toBe('nothing is wrong');
  const remaining = await readdir(join(folder, 'objects'), { recursive: true });
  expect(remaining.filter((path) => path.length > 2)).toEqual(['.furoshiki']);
});

describe('names', () => {
  it('an objects folder that is a file', async () => {
    await rm(join(folder, 'objects'), { recursive: true });
    await writeFile(join(folder, 'objects'), '');
    const { names, failing } = await diagnose();
    expect(names).toEqual(['data folder']);
    expect(failing[0]?.text).toMatch(/objects is not the folder that the database knows: is its disk mounted\?$/u);
  });

  it('an objects folder that cannot be written', async () => {
    await chmod(join(folder, 'objects'), 0o500);
    const { names, failing } = await asUnprivilegedUser(() => diagnose());
    expect(names).toEqual(['storage']);
    expect(failing[0]?.text).toContain('EACCES');
    await chmod(join(folder, 'objects'), 0o700);
  });

  it('storage that returns other bytes than were written', async () => {
    const { objects: disk } = await testTools(folder).openObjects();
    const objects = {
      ...disk,
      async completeUpload(...[upload, parts]: Parameters<typeof disk.completeUpload>) {
        await disk.completeUpload(upload, parts);
        const data = await open(join(folder, 'objects', upload.key.slice(0, 2), upload.key, 'data'), 'r+');
        await data.write(Buffer.from([1, 2, 3, 4]), 0, 4, 500);
        await data.close();
      },
    };
    const { failing } = await diagnose({}, { store: { objects } });
    expect(failing.map(({ text }) => text)).toEqual(['the bytes that were read differ from those written']);
  });

  it('a file that is not a database', async () => {
    await writeFile(join(folder, 'furoshiki.db'), 'x'.repeat(10_000));
    const { names, failing, lines } = await diagnose();
    expect(names).toEqual(['database']);
    expect(failing[0]?.text).toMatch(/cannot be used \(file is not a database\)$/u);
    expect(lines.join('\n')).toContain('restore the last back-up');
  });

  it('a database that is damaged inside', async () => {
    const path = join(folder, 'furoshiki.db');
    const pageOfUsage = rootPageOf('usage');
    const bytes = await readFile(path);
    const pageSize = bytes.readUInt16BE(16);
    // Sets the number of cells on the page too high.
    bytes.writeUInt16BE(9999, (pageOfUsage - 1) * pageSize + 3);
    await writeFile(path, bytes);
    const { names, failing } = await diagnose();
    expect(names).toEqual(['database']);
    expect(failing[0]?.text).toMatch(/damaged|malformed/u);
  });

  it('a database that accepts no writes', async () => {
    const metadata = await testTools(folder).openMetadata();
    const tryWriting = () => Promise.reject(new Error('attempt to write a readonly database'));
    const inspected = { schema: 'current', metadata: { ...metadata, tryWriting } } as const;
    const { failing } = await diagnose({}, { inspectMetadata: () => Promise.resolve(inspected) });
    expect(failing.map(({ name }) => name)).toEqual(['database']);
    expect(failing[0]?.text).toContain('takes no writes (attempt to write a readonly database)');
  });

  it('a secret that others can read', async () => {
    await chmod(join(folder, 'secret'), 0o644);
    const { names, failing } = await diagnose();
    expect(names).toEqual(['secret']);
    expect([failing[0]?.text, failing[0]?.advice]).toEqual([
      expect.stringContaining('(mode 644)'),
      expect.stringContaining('chmod 600'),
    ]);
    expect((await diagnose({ SECRET: 'x'.repeat(32) })).names).toEqual([]);
  });

  it('a secret that is damaged or missing', async () => {
    await writeFile(join(folder, 'secret'), 'abc');
    expect((await diagnose()).failing[0]?.text).toMatch(/secret is damaged: it must hold 64 hexadecimal digits$/u);
    await rm(join(folder, 'secret'));
    expect((await diagnose()).failing[0]?.text).toBe(`there is no ${join(folder, 'secret')}`);
  });

  it('a data folder that every user can enter, and a missing one', async () => {
    await chmod(folder, 0o755);
    const { names, failing } = await diagnose();
    expect(names).toEqual(['data folder']);
    expect(failing[0]?.text).toContain('(mode 755)');
    const missing = join(folder, 'missing');
    const report = await doctor.run(testTools(missing), '');
    expect(report.lines).toContainEqual(expect.stringContaining(`DATA_DIR ${missing} does not exist`));
    await expect(stat(missing)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('a database that others can read', async () => {
    await chmod(join(folder, 'furoshiki.db'), 0o640);
    const { names, failing } = await diagnose();
    expect(names).toEqual(['database']);
    expect(failing[0]?.advice).toContain(`chmod 600 '${join(folder, 'furoshiki.db')}`);
  });

  it('a bucket without a limit to what is stored', async () => {
    const { failing } = await diagnose({ S3_BUCKET: 'bucket' });
    expect(failing.map(({ text }) => text)).toEqual([expect.stringContaining('MAX_STORED_BYTES must be set')]);
  });

  it('a disk with less free space than the reserve', async () => {
    const { names, failing } = await diagnose({ MIN_FREE_DISK_BYTES: '8000TB' });
    expect(names).toEqual(['free disk']);
    expect(failing[0]?.text).toContain('every upload is refused');
  });

  it.each([
    ['http://files.example.org', 'failed'],
    ['http://192.168.1.5:3000', 'failed'],
    ['http://localhost.example.org', 'failed'],
    ['https://files.example.org', 'ok'],
    ['http://localhost:3000', 'ok'],
    ['http://127.0.0.1:3000', 'ok'],
    ['http://[::1]:3000', 'ok'],
  ])('for browsers, the origin %s as %s', async (origin, state) => {
    expect((await secureOrigin.run(testTools(folder, { PUBLIC_ORIGIN: origin }))).state).toBe(state);
  });
});

/** Root may write anywhere, so root gives the folder to another user and acts as that user. */
async function asUnprivilegedUser<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work();
  for (const path of [folder, ...(await readdir(folder)).map((name) => join(folder, name))]) {
    await chown(path, NOBODY, NOBODY);
  }
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

function rootPageOf(table: string): number {
  const db = new DatabaseSync(join(folder, 'furoshiki.db'));
  const row = db.prepare('select rootpage from sqlite_master where name = ?').get(table);
  db.close();
  return Number(row?.['rootpage']);
}

it('does not wait for each check of a bucket that does not respond', async () => {
  let connections = 0;
  const silent = createServer(() => void (connections += 1)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const where = { bucket: 'bucket', region: 'us-east-1', endpoint, publicEndpoint: undefined, pathStyle: true };
  const s3 = { ...where, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } };
  const remote = await createS3Store(s3, createS3Clients(s3), { ordinaryMs: 300, completionMs: 300 });
  const store = { objects: remote, served: undefined, remote };
  const settings = { S3_BUCKET: 'bucket', MAX_STORED_BYTES: '1GB', PUBLIC_ORIGIN: 'https://127.0.0.1:1' };
  const { findings } = await diagnose(settings, { store });
  silent.close();
  const of = (name: string) => findings.find((finding) => finding.name === name);
  expect(of('storage')).toMatchObject({ state: 'failed', text: expect.stringContaining('ETIMEDOUT') });
  for (const name of ['strangers', 'CORS preflight', 'lifecycle'])
    expect(of(name)).toMatchObject({ state: 'skipped', text: 'not tried: see above' });
  expect(connections).toBe(1);
});

describe('mail', () => {
  const mailState = async (mailer: MailServer) => {
    const { findings } = await diagnose({}, { openMailer: () => mailer });
    return findings.find(({ name }) => name === 'SMTP');
  };

  it('is checked with a real connection', async () => {
    const server = await startMailServer();
    const mailer = createSmtpMailer({ url: server.url, from: 'a@example.org', to: 'b@example.org' });
    expect(await mailState(mailer)).toMatchObject({ state: 'ok' });
    expect(server.mails).toEqual([]);
    await server.down();
    expect(await mailState(mailer)).toMatchObject({ state: 'failed', text: expect.stringContaining('ESOCKET') });
  });
});
