// The contract of an upgrade: what an older version has stored stays usable, and the older version may still run.
import { type Kysely, sql } from 'kysely';
import { expect, it } from 'vitest';
import { createSqlMetadataStore } from '../src/adapters/sql/metadata-store.ts';
import { migratorOf } from '../src/adapters/sql/migrations.ts';
import type { SqlDatabase } from '../src/adapters/sql/sql-database.ts';
import type { Tables } from '../src/adapters/sql/tables.ts';
import { caller, newCompletion, newUpload, NOW, PAGE_LIMITS } from './contracts/metadata-fixture.ts';
import { NO_LIMITS } from './no-limits.ts';

/** Opens one new database as often as it is called. */
type OpenDatabase = () => Promise<{ open(): SqlDatabase; discard(): Promise<void> }>;

const LAST_OF_FORMAT_1 = '007-resume-secrets';

/** The statements with which the version before format 2 opens and completes an upload. */
async function insertAsBefore(db: Kysely<Tables>, id: string): Promise<void> {
  await sql`insert into files (id, file_key, upload_id, state, file_name, file_size, stored_size, content_type,
    chunk_size, is_encrypted, max_downloads, current_downloads, retention_days, expires_at_ms, position, is_grouped,
    address_hash, unsent_bytes, opened_at_ms)
    values (${id}, ${id}, ${id}, 'uploading', 'old.txt', 10, 38, '', 10, 1, 5, 0, 1, ${NOW}, 0, 0, 'a', 38, 1)`.execute(
    db,
  );
  await sql`update files set state = 'live', salt = 's', key_check = 'k', created_at_ms = ${NOW},
    expires_at_ms = ${NOW + 1000}, page_id = ${id}, address_hash = null, unsent_bytes = 0
    where file_key = ${id} and state = 'uploading'`.execute(db);
}

export function describeUpgrade(name: string, openNew: OpenDatabase): void {
  it(`on ${name}, files of before format 2 stay usable, and the version before it can still write`, async () => {
    const { open, discard } = await openNew();
    const old = open();
    await migratorOf(old.db).migrateTo(LAST_OF_FORMAT_1);
    await insertAsBefore(old.db, 'before');
    const store = await createSqlMetadataStore(open());
    await insertAsBefore(old.db, 'after');
    for (const id of ['before', 'after']) {
      const needsNoProof = { format: 1, salt: 's', pageSalt: undefined, accessCheck: undefined, details: undefined };
      expect(await store.findFile(id, caller('a'))).toMatchObject(needsNoProof);
      expect((await store.listPage(id, caller('a'))).list).toBeUndefined();
      expect(await store.takeGrant(id, caller('a'), NOW + 5, () => true)).toMatchObject({ outcome: 'granted' });
    }
    const upload = newUpload();
    await store.insertUpload(upload, NO_LIMITS);
    await store.completeUpload(upload.fileKey, newCompletion());
    const ids = ['before', 'after', upload.id];
    expect(await store.groupFiles(ids, 'sealed', PAGE_LIMITS, NOW)).toEqual({ outcome: 'grouped', pageId: 'before' });
    expect(await store.listPage('before', caller('a'))).toMatchObject({
      list: 'sealed',
      files: ids.map((id) => ({ id })),
    });
    await old.db.destroy();
    await store.close();
    await discard();
  });
}
