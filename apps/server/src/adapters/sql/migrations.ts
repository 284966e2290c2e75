// The schema: every change of it since the first version, and how a database is brought up to date. A migration that has been
// released is never edited: add another.
import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from 'kysely/migration';
import {
  PARTS_IN_POSTGRES,
  REQUESTS_IN_POSTGRES,
  REQUESTS_IN_SQLITE,
  REQUIRE,
  SUMS_IN_POSTGRES,
  SUMS_IN_SQLITE,
} from './functions.ts';
import { locksRows } from './sql-database.ts';
import type { Tables } from './tables.ts';

const migrations: Record<string, Migration> = {
  '001-files-and-grants': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('files')
        .addColumn('id', 'text', (c) => c.primaryKey())
        .addColumn('file_key', 'text', (c) => c.notNull().unique())
        .addColumn('upload_id', 'text', (c) => c.notNull())
        .addColumn('state', 'text', (c) => c.notNull())
        .addColumn('file_name', 'text', (c) => c.notNull())
        .addColumn('file_size', 'bigint', (c) => c.notNull())
        .addColumn('stored_size', 'bigint', (c) => c.notNull())
        .addColumn('content_type', 'text', (c) => c.notNull())
        .addColumn('chunk_size', 'bigint', (c) => c.notNull())
        .addColumn('is_encrypted', 'integer', (c) => c.notNull())
        .addColumn('salt', 'text')
        .addColumn('key_check', 'text')
        .addColumn('max_downloads', 'integer', (c) => c.notNull())
        .addColumn('current_downloads', 'integer', (c) => c.notNull().defaultTo(0))
        .addColumn('retention_days', 'integer', (c) => c.notNull())
        .addColumn('created_at_ms', 'bigint')
        .addColumn('expires_at_ms', 'bigint', (c) => c.notNull())
        .addColumn('page_id', 'text')
        .addColumn('position', 'integer', (c) => c.notNull().defaultTo(0))
        .addColumn('is_grouped', 'integer', (c) => c.notNull().defaultTo(0))
        .execute();
      await db.schema.createIndex('files_of_page').on('files').columns(['page_id', 'position']).execute();
      // Not by state and end: a planner without statistics would scan all live files with it to show one page.
      await db.schema.createIndex('files_by_end').on('files').column('expires_at_ms').execute();
      await db.schema
        .createIndex('files_doomed')
        .on('files')
        .column('id')
        .where(sql.ref('state'), '=', 'doomed')
        .execute();
      await db.schema
        .createIndex('files_used_up')
        .on('files')
        .column('id')
        .where(sql.ref('state'), '=', 'live')
        .where(sql.ref('current_downloads'), '>=', sql.ref('max_downloads'))
        .execute();
      await db.schema
        .createIndex('files_uploading')
        .on('files')
        .column('stored_size')
        .where(sql.ref('state'), '=', 'uploading')
        .execute();
      await db.schema
        .createTable('grants')
        .addColumn('file_id', 'text', (c) => c.notNull().references('files.id').onDelete('cascade'))
        .addColumn('client_hash', 'text', (c) => c.notNull())
        .addColumn('expires_at_ms', 'bigint', (c) => c.notNull())
        .addPrimaryKeyConstraint('one_grant_per_client', ['file_id', 'client_hash'])
        .execute();
      await db.schema.createIndex('grants_by_end').on('grants').column('expires_at_ms').execute();
    },
  },
  '002-usage-and-volumes': {
    async up(db: Kysely<Tables>) {
      await db.schema
        .createTable('usage')
        .addColumn('id', 'integer', (c) => c.primaryKey())
        .addColumn('stored_bytes', 'bigint', (c) => c.notNull())
        .execute();
      await db.insertInto('usage').values({ id: 1, stored_bytes: 0 }).execute();
      await db.schema
        .createTable('volumes')
        .addColumn('day', 'text', (c) => c.notNull())
        .addColumn('address_hash', 'text', (c) => c.notNull())
        .addColumn('bytes', 'bigint', (c) => c.notNull())
        .addPrimaryKeyConstraint('one_volume_per_day', ['day', 'address_hash'])
        .execute();
    },
  },
  '003-count-of-files': {
    async up(db: Kysely<Tables>) {
      await db.schema
        .alterTable('usage')
        .addColumn('files', 'bigint', (c) => c.notNull().defaultTo(0))
        .execute();
      await db
        .updateTable('usage')
        .set((eb) => ({ files: eb.selectFrom('files').select(({ fn }) => fn.countAll<number>().as('count')) }))
        .execute();
    },
  },
  '004-outbox-and-reports': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('outbox')
        .addColumn('id', 'text', (c) => c.primaryKey())
        .addColumn('subject', 'text', (c) => c.notNull())
        .addColumn('text', 'text', (c) => c.notNull())
        .addColumn('reply_to', 'text')
        .addColumn('created_at_ms', 'bigint', (c) => c.notNull())
        .addColumn('due_at_ms', 'bigint', (c) => c.notNull())
        .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
        .execute();
      await db.schema.createIndex('outbox_by_due').on('outbox').column('due_at_ms').execute();
      await db.schema.createIndex('outbox_by_age').on('outbox').column('created_at_ms').execute();
      // No reference to files: a report is kept when its page is gone.
      await db.schema
        .createTable('reports')
        .addColumn('id', 'text', (c) => c.primaryKey())
        .addColumn('page_id', 'text', (c) => c.notNull())
        .addColumn('reason', 'text', (c) => c.notNull())
        .addColumn('created_at_ms', 'bigint', (c) => c.notNull())
        .execute();
      await db.schema.createIndex('reports_by_age').on('reports').column('created_at_ms').execute();
    },
  },
  '005-many-servers': {
    async up(db: Kysely<Tables>) {
      const isPostgres = locksRows(db);
      await db.schema
        .createTable('instance')
        .addColumn('id', 'text', (c) => c.primaryKey())
        .execute();
      await db
        .insertInto('instance')
        .values({ id: randomBytes(16).toString('base64url') })
        .execute();
      await db.schema
        .createTable('jobs')
        .addColumn('name', 'text', (c) => c.primaryKey())
        .addColumn('lease_ends_at_ms', 'bigint', (c) => c.notNull())
        .addColumn('progress', 'text', (c) => c.notNull())
        .execute();
      await db.schema
        .createTable('rates')
        // These counts may be lost in a crash, so they need no write-ahead log.
        .$call((table) => (isPostgres ? table.modifyFront(sql`unlogged`) : table))
        .addColumn('key', 'text', (c) => c.primaryKey())
        .addColumn('hits', 'integer', (c) => c.notNull())
        .addColumn('ends_at_ms', 'bigint', (c) => c.notNull())
        .execute();
      await db.schema.createIndex('rates_by_end').on('rates').column('ends_at_ms').execute();
      // A sweep claims doomed files for the length of a lease.
      await db.schema.dropIndex('files_doomed').execute();
      await db.schema
        .createIndex('files_doomed')
        .on('files')
        .column('expires_at_ms')
        .where(sql.ref('state'), '=', 'doomed')
        .execute();
      // Keys are sorted by their bytes, as object stores list them, whatever the locale of the database.
      if (isPostgres) await sql`alter table files alter column file_key type text collate "C"`.execute(db);
    },
  },
  '006-unsent-bytes': {
    async up(db: Kysely<Tables>) {
      const columns = db.schema.alterTable('files');
      await columns.addColumn('address_hash', 'text').execute();
      await columns.addColumn('unsent_bytes', 'bigint', (c) => c.notNull().defaultTo(0)).execute();
      await columns.addColumn('opened_at_ms', 'bigint', (c) => c.notNull().defaultTo(0)).execute();
      // Until now an upload was abandoned 24 hours after its last part.
      await db
        .updateTable('files')
        .set((eb) => ({ unsent_bytes: eb.ref('stored_size'), opened_at_ms: eb('expires_at_ms', '-', 86_400_000) }))
        .where('state', '=', 'uploading')
        .execute();
      await db.schema.dropIndex('files_uploading').execute();
      await db.schema
        .createIndex('files_uploading')
        .on('files')
        .columns(['address_hash', 'unsent_bytes'])
        .where(sql.ref('state'), '=', 'uploading')
        .execute();
    },
  },
  '007-resume-secrets': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('resume_secrets')
        .addColumn('id_hash', 'text', (c) => c.primaryKey())
        .addColumn('secret', 'text', (c) => c.notNull())
        .addColumn('address_hash', 'text', (c) => c.notNull())
        .addColumn('expires_at_ms', 'bigint', (c) => c.notNull())
        .addColumn('ends_at_ms', 'bigint', (c) => c.notNull())
        .execute();
      await db.schema.createIndex('resume_secrets_by_end').on('resume_secrets').column('expires_at_ms').execute();
      await db.schema.createIndex('resume_secrets_of_address').on('resume_secrets').column('address_hash').execute();
    },
  },
  // Only additions: servers of an older version can still run beside a newer one.
  '008-format-2': {
    async up(db: Kysely<unknown>) {
      const columns = db.schema.alterTable('files');
      await columns.addColumn('format', 'integer', (c) => c.notNull().defaultTo(1)).execute();
      await columns.addColumn('page_salt', 'text').execute();
      await columns.addColumn('access_check', 'text').execute();
      await columns.addColumn('details', 'text').execute();
      await db.schema
        .createTable('pages')
        .addColumn('page_id', 'text', (c) => c.primaryKey())
        .addColumn('list', 'text', (c) => c.notNull())
        .execute();
    },
  },
  '009-running-sums': {
    async up(db: Kysely<Tables>) {
      const zero = (column: ColumnDefinitionBuilder) => column.notNull().defaultTo(0);
      const files = db.schema.alterTable('files');
      await files.addColumn('extra_bytes', 'bigint', zero).execute();
      await files.addColumn('released_bytes', 'bigint', zero).execute();
      await files.addColumn('active_at_ms', 'bigint', zero).execute();
      await db.schema.alterTable('volumes').addColumn('record_bytes', 'bigint', zero).execute();
      const usage = db.schema.alterTable('usage');
      await usage.addColumn('unsent_bytes', 'bigint', zero).execute();
      await usage.addColumn('extra_bytes', 'bigint', zero).execute();
      // For uploads that are open now. Files of before keep no extra bytes: they expire within three days.
      await sql`update files set active_at_ms = opened_at_ms where state = 'uploading'`.execute(db);
      await sql`update usage set unsent_bytes =
        (select coalesce(sum(unsent_bytes), 0) from files where state = 'uploading')`.execute(db);
      await db.schema
        .createIndex('files_reserving')
        .on('files')
        .column('active_at_ms')
        .where(sql.ref('state'), '=', 'uploading')
        .where(sql.ref('unsent_bytes'), '>', 0)
        .execute();
      for (const statement of locksRows(db) ? SUMS_IN_POSTGRES : SUMS_IN_SQLITE) await sql.raw(statement).execute(db);
    },
  },
  '010-uploaders': {
    async up(db: Kysely<unknown>) {
      await db.schema.alterTable('files').addColumn('uploader_hash', 'text').execute();
    },
  },
  '011-report-replies': {
    async up(db: Kysely<unknown>) {
      await db.schema.alterTable('reports').addColumn('reply_to', 'text').execute();
    },
  },
  '012-guards': {
    async up(db: Kysely<Tables>) {
      if (locksRows(db)) await sql.raw(REQUIRE).execute(db);
    },
  },
  '013-epochs': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('epochs')
        .addColumn('id', 'text', (c) => c.primaryKey())
        .addColumn('begun_at_ms', 'bigint', (c) => c.notNull())
        .execute();
      await db.schema.createIndex('epochs_by_begin').on('epochs').column('begun_at_ms').execute();
      await db.schema
        .alterTable('instance')
        .addColumn('keeps_unknown_until_ms', 'bigint', (c) => c.notNull().defaultTo(0))
        .execute();
    },
  },
  // Servers of an older version count in `usage`, where all that is lent counts as used.
  '014-usage-parts': {
    async up(db: Kysely<Tables>) {
      await db.schema
        .createTable('usage_parts')
        .addColumn('id', 'integer', (c) => c.primaryKey())
        .addColumn('room_bytes', 'bigint', (c) => c.notNull())
        .addColumn('files', 'bigint', (c) => c.notNull())
        .addColumn('unsent_bytes', 'bigint', (c) => c.notNull())
        .execute();
      for (const table of ['files', 'pages'])
        await db.schema.alterTable(table).addColumn('usage_part', 'integer').execute();
      if (locksRows(db)) for (const statement of PARTS_IN_POSTGRES) await sql.raw(statement).execute(db);
    },
  },
  '015-networks': {
    async up(db: Kysely<unknown>) {
      await db.schema.alterTable('files').addColumn('network_hash', 'text').execute();
      await db.schema
        .createIndex('files_uploading_by_network')
        .on('files')
        .column('network_hash')
        .where(sql.ref('state'), '=', 'uploading')
        .where(sql.ref('network_hash'), 'is not', null)
        .execute();
    },
  },
  '016-requests': {
    async up(db: Kysely<Tables>) {
      await db.schema
        .createTable('requests')
        .addColumn('id', 'text', (c) => c.primaryKey())
        .addColumn('salt', 'text', (c) => c.notNull())
        .addColumn('card', 'text', (c) => c.notNull())
        .addColumn('sender_check', 'text', (c) => c.notNull())
        .addColumn('owner_check', 'text', (c) => c.notNull())
        .addColumn('retention_days', 'integer', (c) => c.notNull())
        .addColumn('closes_at_ms', 'bigint', (c) => c.notNull())
        .addColumn('ends_at_ms', 'bigint', (c) => c.notNull())
        .addColumn('bytes', 'bigint', (c) => c.notNull())
        .addColumn('deliveries', 'integer', (c) => c.notNull())
        .addColumn('usage_part', 'integer')
        .execute();
      await db.schema.createIndex('requests_by_end').on('requests').column('ends_at_ms').execute();
      await db.schema.alterTable('files').addColumn('request_id', 'text').execute();
      for (const column of ['request_id', 'page_salt', 'sealed'])
        await db.schema.alterTable('pages').addColumn(column, 'text').execute();
      await db.schema.alterTable('pages').addColumn('delivered_at_ms', 'bigint').execute();
      const columns = { files: ['request_id'], pages: ['request_id', 'delivered_at_ms', 'page_id'] };
      for (const [table, ofIndex] of Object.entries(columns))
        await db.schema
          .createIndex(`${table}_by_request`)
          .on(table)
          .columns(ofIndex)
          .where(sql.ref('request_id'), 'is not', null)
          .execute();
      for (const statement of locksRows(db) ? REQUESTS_IN_POSTGRES : REQUESTS_IN_SQLITE)
        await sql.raw(statement).execute(db);
    },
  },
};

export const migrationNames = Object.keys(migrations);

export function migratorOf(db: Kysely<Tables>): Migrator {
  return new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
}

/** `empty` has no tables yet. `older` is migrated at the next start. */
export type SchemaAge = 'empty' | 'older' | 'current';

export class NewerDatabaseError extends Error {}

export async function migrateToLatest(db: Kysely<Tables>): Promise<void> {
  const { error } = await migratorOf(db).migrateToLatest();
  if (!error) return;
  // The migrator calls a newer database corrupted. An error of the connection is the same again, and then the first one counts.
  await schemaAgeOf(db).catch((cause: unknown) => {
    if (cause instanceof NewerDatabaseError) throw cause;
  });
  throw new Error('the database could not be brought up to date', { cause: error });
}

/** Throws a NewerDatabaseError if this version does not know the schema. */
export async function schemaAgeOf(db: Kysely<Tables>): Promise<SchemaAge> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE)) return 'empty';
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(db);
  return ageOf(rows.map(({ name }) => name));
}

/** The same for a file of SQLite, without the changes that opening it makes to an older one. */
export function schemaAgeOfFile(path: string): SchemaAge {
  const database = new DatabaseSync(path);
  try {
    const isEmpty =
      database.prepare('select 1 from sqlite_master where name = ?').get(DEFAULT_MIGRATION_TABLE) === undefined;
    if (isEmpty) return 'empty';
    const rows = database.prepare(`select name from ${DEFAULT_MIGRATION_TABLE}`).all();
    return ageOf(rows.map(({ name }) => String(name)));
  } finally {
    database.close();
  }
}

/** Creates a table and takes it back: a migration needs this permission. */
export async function tryCreatingTables(db: Kysely<Tables>): Promise<void> {
  const takenBack = new Error();
  const trying = db.transaction().execute(async (trx) => {
    await trx.schema.createTable('furoshiki_doctor').addColumn('id', 'integer').execute();
    throw takenBack;
  });
  await trying.catch((error: unknown) => {
    if (error !== takenBack) throw error;
  });
}

function ageOf(applied: string[]): SchemaAge {
  const known = new Set(migrationNames);
  if (applied.some((name) => !known.has(name))) throw new NewerDatabaseError();
  return applied.length < known.size ? 'older' : 'current';
}
