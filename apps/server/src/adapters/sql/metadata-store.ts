// The metadata store over SQL. Each promise that must hold under concurrency is kept by one conditional statement.
import type { Kysely } from 'kysely';
import type { MetadataStore } from '../../ports/metadata-store.ts';
import { doomRecords } from './doom-records.ts';
import { fileRecords } from './file-records.ts';
import { grantRecords } from './grant-records.ts';
import { migrateToLatest } from './migrations.ts';
import { operatorRecords } from './operator-records.ts';
import { outboxRecords } from './outbox-records.ts';
import { openPostgres, type PoolLimits } from './postgres.ts';
import { reportRecords } from './report-records.ts';
import { sharedRecords } from './shared-records.ts';
import type { Tables } from './tables.ts';
import { uploadRecords } from './upload-records.ts';

export async function createPostgresMetadataStore(url: string, limits: PoolLimits): Promise<MetadataStore> {
  // A migration takes its time, and so does waiting for another server's: by a connection that has no end to its statements.
  const patient = openPostgres(url, { connections: 1, statementMs: 0 });
  try {
    await migrateToLatest(patient);
  } finally {
    await patient.destroy();
  }
  return metadataStoreOn(openPostgres(url, limits));
}

export async function createSqlMetadataStore(db: Kysely<Tables>): Promise<MetadataStore> {
  await migrateToLatest(db);
  return metadataStoreOn(db);
}

function metadataStoreOn(db: Kysely<Tables>): MetadataStore {
  const files = fileRecords(db);
  return {
    ...uploadRecords(db),
    ...files,
    ...grantRecords(db, files),
    ...doomRecords(db),
    ...operatorRecords(db),
    ...outboxRecords(db),
    ...reportRecords(db),
    ...sharedRecords(db),
    close: () => db.destroy(),
  };
}
