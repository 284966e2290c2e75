import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePort, runToExit } from '../../testing/process.ts';
import { createSqlMetadataStore } from '../adapters/sql/metadata-store.ts';
import { openSqlite } from '../adapters/sql/sqlite/sqlite.ts';
import { dataPaths, openDataFolder } from './data-folder.ts';

/** A folder after an incomplete restore: with the database and the secret, without the files. */
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'furoshiki-data-'));
  const { database, objects, unclaimed } = await openDataFolder(folder);
  await (await createSqlMetadataStore(openSqlite(database))).close();
  await rm(unclaimed);
  await rm(objects, { recursive: true });
});
afterEach(() => rm(folder, { recursive: true }));

it('is refused if the database exists but the files are missing', async () => {
  await expect(openDataFolder(folder)).rejects.toThrowError('is its disk mounted?');
});

it('needs no folder for files that are stored in a bucket', async () => {
  const S3_ENDPOINT = `http://127.0.0.1:${await freePort()}`;
  const keys = { S3_ACCESS_KEY_ID: 'key', S3_SECRET_ACCESS_KEY: 'secret' };
  const settings = { DATA_DIR: folder, S3_BUCKET: 'bucket', S3_ENDPOINT, ...keys };
  const { stderr } = await runToExit('main', [], { ...settings, MAX_STORED_BYTES: '1GB' });
  // The start got as far as the bucket, which does not respond.
  expect(stderr).toMatch(/^furoshiki: the bucket bucket cannot be used/u);
  expect(await readdir(folder)).not.toContain('objects');
  expect(await runToExit('main', [], settings)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^furoshiki: MAX_STORED_BYTES must be set together with S3_BUCKET: .+\n$/u),
  });
});

it('hides the files of a database that others could read', async () => {
  const { database } = dataPaths(folder);
  await writeFile(`${database}-wal`, '');
  for (const file of [database, `${database}-wal`]) await chmod(file, 0o644);
  await openDataFolder(folder, undefined, { bytes: false, database: true });
  for (const file of [database, `${database}-wal`]) expect((await stat(file)).mode & 0o777).toBe(0o600);
});
