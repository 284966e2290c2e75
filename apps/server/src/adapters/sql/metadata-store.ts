// The metadata store over SQL. Each promise that must hold under concurrency is kept by one conditional statement.
import type { Kysely } from 'kysely';
import type { MetadataStore } from '../../ports/metadata-store.ts';
import { doomRecords } from './doom-records.ts';
import { fileRecords } from './file-records.ts';
import { grantRecords } from './grant-records.ts';
import { migrateToLatest } from './migrations.ts';
import { operatorRecords } from './operator-records.ts';
import { outboxRecords } from './outbox-records.ts';
import { reportRecords } from './report-records.ts';
import type { Tables } from './tables.ts';
import { uploadRecords } from './upload-records.ts';

export async function createSqlMetadataStore(db: Kysely<Tables>): Promise<MetadataStore> {
  await migrateToLatest(db);
  const files = fileRecords(db);
  return {
    ...uploadRecords(db),
    ...files,
    ...grantRecords(db, files),
    ...doomRecords(db),
    ...operatorRecords(db),
    ...outboxRecords(db),
    ...reportRecords(db),
    close: () => db.destroy(),
  };
}
