// What the operator can ask the database, in SQL.
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { OperatorRecords } from '../../../ports/metadata-store.ts';
import type { SqlDatabase } from '../sql-database.ts';
import { takenBytes } from './room.ts';
import { DOOMED, UPLOADING } from './rows.ts';
import type { Tables } from '../tables.ts';

/** Without mail, messages stay until the operator removes them. */
const MAX_COUNTED_MESSAGES = 1000;
/** Of SQLite. */
const PAGE_BYTES = 4096;
/** Tables that grow with the number of files. */
const GROWING = new Set(['files', 'grants', 'pages', 'volumes']);

export function operatorRecords({ db, file, ping }: SqlDatabase): OperatorRecords {
  const countOf = async (state: typeof DOOMED) => {
    const { count } = await db
      .selectFrom('files')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('state', '=', state)
      .executeTakeFirstOrThrow();
    return count;
  };

  const countSome = async (table: 'outbox' | 'reports') => {
    const some = db.selectFrom(table).select('id').limit(MAX_COUNTED_MESSAGES).as('some');
    const { count } = await db
      .selectFrom(some)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return count;
  };

  const check = async (what: RawBuilder<unknown>) => {
    const { rows } = await sql<{ quick_check: string }>`pragma quick_check${what}`.execute(db);
    return rows.map((row) => row.quick_check).filter((text) => text !== 'ok');
  };

  return {
    ping,

    // Counting live files would scan all of them. `usage` counts all rows, and indexes lead to the few that are not
    // live: open uploads, and files that the next sweep removes.
    async tally() {
      const { storedBytes, files } = await db
        .selectFrom('usage')
        .select([
          takenBytes.as('storedBytes'),
          sql<number>`files + (select coalesce(sum(files), 0) from usage_parts)`.as('files'),
        ])
        .executeTakeFirstOrThrow();
      const [openUploads, doomedFiles] = [await countOf(UPLOADING), await countOf(DOOMED)];
      const [waitingMessages, waitingReports] = [await countSome('outbox'), await countSome('reports')];
      // The statements may see different states: never return a negative number.
      const liveFiles = Math.max(0, files - openUploads - doomedFiles);
      return { storedBytes, liveFiles, openUploads, doomedFiles, waitingMessages, waitingReports };
    },

    async countGrants(nowMs) {
      const { count } = await db
        .selectFrom('grants')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('expires_at_ms', '>', nowMs)
        .executeTakeFirstOrThrow();
      return count;
    },

    async findDamage(maxBytes) {
      if (!file) return { damage: await failedChecksums(db), unread: [] };
      const isSmall = (await file.pages()).all * PAGE_BYTES <= maxBytes;
      if (isSmall) return { damage: await check(sql``), unread: [] };
      const tables = (await db.introspection.getTables()).map(({ name }) => name);
      const damage: string[] = [];
      for (const table of tables) if (!GROWING.has(table)) damage.push(...(await check(sql`(${sql.id(table)})`)));
      return { damage, unread: tables.filter((table) => GROWING.has(table)) };
    },

    async tryWriting() {
      await db.transaction().execute(async (trx) => {
        // Only a commit reaches the disk. A value that stays the same would not be written.
        for (const change of [1, -1])
          await trx
            .updateTable('usage')
            .set((eb) => ({ stored_bytes: eb('stored_bytes', '+', change) }))
            .execute();
      });
    },
  };
}

/** If checksums are enabled, PostgreSQL verifies pages when it reads them, and counts the failures. */
async function failedChecksums(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ failures: number | null }>`
    select checksum_failures as failures from pg_stat_database where datname = current_database()`.execute(db);
  return rows.flatMap(({ failures }) => (failures ? [`${failures} pages with a wrong checksum`] : []));
}
