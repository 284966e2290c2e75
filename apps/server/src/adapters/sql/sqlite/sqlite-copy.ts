// Copies of the embedded database: one is made for a backup, and one is checked after a restore.
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';
import type { CopiedFile, DatabaseCopy, RestoredDatabase } from '../../../ports/backup.ts';
import { migrationNames } from '../migrations.ts';

/** All pages in one step. If there were several, each write of the server in between would start the copy again. */
const ALL_PAGES = 2 ** 31 - 1;

/**
 * Copies the database while a server writes to it. The copy is one snapshot: a reader never waits for a writer, nor a writer for
 * a reader. `folder` is for its files; the caller removes it.
 */
export async function copySqlite(path: string, folder: string, nowMs: number): Promise<DatabaseCopy> {
  const source = new DatabaseSync(path);
  const snapshot = join(folder, 'snapshot.db');
  const compact = join(folder, 'compact.db');
  const copy = await openSnapshot(source, snapshot);
  const openUploads = countOf(copy, "files where state = 'uploading'");
  prune(copy, nowMs);
  const isLive = source.prepare("select 1 from files where id = ? and state = 'live'");
  const remove = copy.prepare('delete from files where id = ?');
  return {
    databaseId: databaseIdOf(copy),
    schema: appliedMigrations(copy),
    openUploads,
    listFiles: fileLister(copy),
    leaveOut(id) {
      remove.run(id);
      // A file is doomed before its bytes are removed.
      return isLive.get(id) === undefined ? 'deleted' : 'lost';
    },
    finish() {
      forgetEmptyPages(copy);
      countAgain(copy);
      // Written from the start, so that it has neither free pages nor remains of deleted rows, and no log beside it.
      copy.prepare('vacuum into ?').run(compact);
      return compact;
    },
    close() {
      copy.close();
      source.close();
    },
  };
}

async function openSnapshot(source: DatabaseSync, path: string): Promise<DatabaseSync> {
  try {
    await backup(source, path, { rate: ALL_PAGES });
    const copy = new DatabaseSync(path);
    // If the process dies, this file is useless.
    copy.exec('pragma journal_mode = memory; pragma synchronous = off; pragma foreign_keys = on');
    return copy;
  } catch (error) {
    source.close();
    throw error;
  }
}

/**
 * Removes what has ended, and what belongs to uploads under way: their parts change while they are copied. Older databases lack
 * some of the tables, and are not migrated, so that the version that wrote them can use the copy.
 */
function prune(copy: DatabaseSync, nowMs: number): void {
  copy.prepare("delete from files where state <> 'live' or expires_at_ms <= ?").run(nowMs);
  for (const table of ['rates', 'jobs', 'resume_secrets']) if (hasTable(copy, table)) copy.exec(`delete from ${table}`);
}

function forgetEmptyPages(copy: DatabaseSync): void {
  if (!hasTable(copy, 'pages')) return;
  copy.exec('delete from pages where not exists (select 1 from files where files.page_id = pages.page_id)');
}

function countAgain(copy: DatabaseSync): void {
  if (!hasTable(copy, 'usage')) return;
  copy.exec('update usage set stored_bytes = (select coalesce(sum(stored_size), 0) from files)');
  const columns = copy.prepare("select name from pragma_table_info('usage')").all();
  if (columns.some(({ name }) => name === 'files')) copy.exec('update usage set files = (select count(*) from files)');
}

/** Opens a restored database without changing it. Throws if it is none, or has no tables of ours. */
export function openRestored(path: string): RestoredDatabase {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return {
      databaseId: databaseIdOf(database),
      fileCount: countOf(database, 'files'),
      listFiles: fileLister(database),
      findDamage: () =>
        database
          .prepare('pragma quick_check')
          .all()
          .map((row) => String(row['quick_check']))
          .filter((text) => text !== 'ok'),
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Whether this version knows all of these migrations. */
export const knowsSchema = (schema: string[]): boolean => schema.every((name) => migrationNames.includes(name));

function fileLister(database: DatabaseSync): (afterKey: string, limit: number) => CopiedFile[] {
  const statement = database.prepare(
    'select id, file_key, stored_size from files where file_key > ? order by file_key limit ?',
  );
  return (afterKey, limit) =>
    statement.all(afterKey, limit).map((row) => ({
      id: String(row['id']),
      fileKey: String(row['file_key']),
      storedSize: Number(row['stored_size']),
    }));
}

function appliedMigrations(database: DatabaseSync): string[] {
  const rows = database.prepare(`select name from ${DEFAULT_MIGRATION_TABLE} order by name`).all();
  return rows.map(({ name }) => String(name));
}

function databaseIdOf(database: DatabaseSync): string | undefined {
  if (!hasTable(database, 'instance')) return undefined;
  const id = database.prepare('select id from instance').get()?.['id'];
  return typeof id === 'string' ? id : undefined;
}

const hasTable = (database: DatabaseSync, name: string): boolean =>
  database.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(name) !== undefined;

const countOf = (database: DatabaseSync, rows: string): number =>
  Number(database.prepare(`select count(*) as count from ${rows}`).get()?.['count']);
