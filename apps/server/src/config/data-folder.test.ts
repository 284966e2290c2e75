import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePort, runToExit } from '../../testing/process.ts';
import { createSqlMetadataStore } from '../adapters/sql/metadata-store.ts';
import { openSqlite } from '../adapters/sql/sqlite/sqlite.ts';
import { openDataFolder } from './data-folder.ts';

/** As a restore leaves it: the database and the secret. */
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'furoshiki-data-'));
  const { database, objects } = await openDataFolder(folder);
  await (await createSqlMetadataStore(openSqlite(database))).close();
  await rm(objects, { recursive: true });
});
afterEach(() => rm(folder, { recursive: true }));

it('is not taken for whole without the files that it keeps', async () => {
  await expect(openDataFolder(folder)).rejects.toThrowError('is its disk mounted?');
});

it('needs no place for files that are kept elsewhere', async () => {
  const S3_ENDPOINT = `http://127.0.0.1:${await freePort()}`;
  const keys = { S3_ACCESS_KEY_ID: 'nobody', S3_SECRET_ACCESS_KEY: 'nothing' };
  const { stderr } = await runToExit('main', [], { DATA_DIR: folder, S3_BUCKET: 'bucket', S3_ENDPOINT, ...keys });
  // It came as far as the bucket, where nobody answers.
  expect(stderr).toMatch(/^furoshiki: the bucket bucket cannot be used/u);
  expect(await readdir(folder)).not.toContain('objects');
});
