// The metadata store over SQL. Each promise that must hold under concurrency is kept by one conditional statement.
import type { MetadataStore } from '../../ports/metadata-store.ts';
import { doomRecords } from './records/doom-records.ts';
import { fileRecords } from './records/file-records.ts';
import { grantRecords } from './records/grant-records.ts';
import { migrateToLatest } from './migrations.ts';
import { operatorRecords } from './records/operator-records.ts';
import { outboxRecords } from './records/outbox-records.ts';
import { openPostgres, type PoolLimits } from './postgres/postgres.ts';
import { reportRecords } from './records/report-records.ts';
import { sharedRecords } from './records/shared-records.ts';
import type { SqlDatabase } from './sql-database.ts';
import { uploadRecords } from './records/upload-records.ts';

export async function createPostgresMetadataStore(url: string, limits: PoolLimits): Promise<MetadataStore> {
  // A migration takes its time, and so does waiting for another server's: by a connection that has no end to its statements.
  const patient = openPostgres(url, { connections: 1, statementMs: 0 });
  try {
    await migrateToLatest(patient.db);
  } finally {
    await patient.db.destroy();
  }
  return metadataStoreOn(openPostgres(url, limits));
}

export async function createSqlMetadataStore(database: SqlDatabase): Promise<MetadataStore> {
  await migrateToLatest(database.db);
  return metadataStoreOn(database);
}

function metadataStoreOn(database: SqlDatabase): MetadataStore {
  const { db } = database;
  const files = fileRecords(database);
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
