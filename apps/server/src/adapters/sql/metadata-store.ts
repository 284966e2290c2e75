// The metadata store over SQL. One conditional statement enforces each rule that must hold under concurrency.
import { aroundCalls } from '../../ports/store-failures.ts';
import type { MetadataStore } from '../../ports/metadata-store.ts';
import { doomRecords } from './records/doom-records.ts';
import { fileRecords, grantRecords } from './records/file-records.ts';
import { operatorRecords } from './records/operator-records.ts';
import { outboxRecords, reportRecords } from './records/message-records.ts';
import { openPostgres, type PoolLimits } from './postgres.ts';
import { resumeSecretRecords, sharedRecords } from './records/shared-records.ts';
import { migrateToLatest, type SchemaAge, schemaAgeOf, tryCreatingTables } from './migrations.ts';
import type { SqlDatabase } from './sql-database.ts';
import { requestRecords } from './records/request-records.ts';
import { uploadRecords } from './records/upload-records.ts';

export async function createPostgresMetadataStore(url: string, limits: PoolLimits): Promise<MetadataStore> {
  // A migration may take long, and so may waiting for another server's migration: no statement timeout here.
  const withoutTimeout = openPostgres(url, { connections: 1, statementMs: 0 });
  try {
    await migrateToLatest(withoutTimeout.db);
  } finally {
    await withoutTimeout.db.destroy();
  }
  return metadataStoreOn(openPostgres(url, limits));
}

export async function createSqlMetadataStore(database: SqlDatabase): Promise<MetadataStore> {
  await migrateToLatest(database.db);
  return metadataStoreOn(database);
}

/** A database that responds, and was opened without a migration. Its store is undefined unless the schema is current. */
export interface InspectedDatabase {
  schema: SchemaAge;
  metadata: MetadataStore | undefined;
}

export async function inspectDatabase(database: SqlDatabase): Promise<InspectedDatabase> {
  try {
    const schema = await schemaAgeOf(database.db);
    if (schema === 'current') {
      await database.ping();
      return { schema, metadata: metadataStoreOn(database) };
    }
    await tryCreatingTables(database.db);
    await database.db.destroy();
    return { schema, metadata: undefined };
  } catch (error) {
    await database.db.destroy();
    throw error;
  }
}

function metadataStoreOn(database: SqlDatabase): MetadataStore {
  const { db } = database;
  const files = fileRecords(database);
  const store: MetadataStore = {
    ...uploadRecords(database),
    ...files,
    ...grantRecords(database, files),
    ...doomRecords(database),
    ...requestRecords(database),
    ...resumeSecretRecords(db),
    ...operatorRecords(database),
    ...outboxRecords(db),
    ...reportRecords(database),
    ...sharedRecords(database),
    ...(database.connections && { connections: database.connections }),
    close: () => db.destroy(),
  };
  return aroundCalls(store, { failed: database.failureOf });
}
