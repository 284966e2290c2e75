import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { describeMetadataStore } from '../../contracts/metadata-store.contract.ts';
import { createSqlMetadataStore } from './metadata-store.ts';
import { openSqlite } from './sqlite.ts';

async function inFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'furoshiki-sqlite-'));
  return { path: join(folder, 'test.db'), remove: () => rm(folder, { recursive: true }) };
}

describeMetadataStore('SQLite', async () => {
  const { path, remove } = await inFolder();
  const store = await createSqlMetadataStore(openSqlite(path));
  return {
    store,
    async discard() {
      await store.close();
      await remove();
    },
  };
});

it('writes ahead and syncs every commit, so that what was acknowledged survives a power cut', async () => {
  const { path, remove } = await inFolder();
  const db = openSqlite(path);
  const settings = await sql<
    Record<string, unknown>
  >`select * from pragma_journal_mode, pragma_synchronous, pragma_foreign_keys`.execute(db);
  expect(settings.rows[0]).toEqual({ journal_mode: 'wal', synchronous: 2, foreign_keys: 1 });
  await db.destroy();
  await remove();
});

it('migrates a database that is already there', async () => {
  const { path, remove } = await inFolder();
  for (const _ of [1, 2]) {
    const store = await createSqlMetadataStore(openSqlite(path));
    await store.close();
  }
  await remove();
});
