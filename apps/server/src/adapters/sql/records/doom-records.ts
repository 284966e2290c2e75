// Doomed files in SQL.
import { setTimeout } from 'node:timers/promises';
import { type Expression, type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { DoomedFile, DoomRecords } from '../../../ports/metadata-store.ts';
import { DOOMED, DOOMED_COLUMNS, LIVE, noLiveGrant, UPLOADING } from './rows.ts';
import { type DatabaseFile, locksRows, orRefusal, type SqlDatabase, type Step } from '../sql-database.ts';
import type { Tables } from '../tables.ts';
import { lockParts } from './room.ts';

const REWRITTEN_EVERY_MS = 3_600_000;
/** 100 MB. Rewriting them takes a second, and writers wait for it. A larger database would keep them from writing for too long. */
export const MAX_REWRITTEN_PAGES = 25_600;
/** Free pages that one statement gives back: a few milliseconds. */
const PAGES_PER_STEP = 64;
/** Between two steps, so that a server can write while an admin command sweeps. */
const STEP_PAUSE_MS = 5;
/** More than one round of a sweep makes free. */
const MAX_STEPS = 200;

async function shrink(file: DatabaseFile): Promise<void> {
  let { free } = await file.pages();
  for (let step = 0; step < MAX_STEPS && free > 0; step += 1) {
    await file.shrink(PAGES_PER_STEP);
    const before = free;
    ({ free } = await file.pages());
    // A database that was created by an older version and is too large to be rewritten: its free pages are used again.
    if (free === before) return;
    await setTimeout(STEP_PAUSE_MS);
  }
}

export function doomRecords({ db, file, transact }: SqlDatabase): DoomRecords {
  // Skip rows locked by another server: no server waits, and no row is handled twice.
  const locks = locksRows(db);
  let rewritten = { atMs: Number.NEGATIVE_INFINITY, changes: -1 };

  async function doomIfUsedUp(id: string, nowMs: number): Promise<DoomedFile | undefined> {
    return db
      .updateTable('files')
      .set({ state: 'doomed', expires_at_ms: nowMs })
      .where('id', '=', id)
      .where('state', '=', LIVE)
      .whereRef('current_downloads', '>=', 'max_downloads')
      .where((eb) => noLiveGrant(eb, nowMs))
      .returning(DOOMED_COLUMNS)
      .executeTakeFirst();
  }

  return {
    async doomFile(id, nowMs) {
      return db
        .updateTable('files')
        .set({ state: 'doomed', expires_at_ms: nowMs })
        .where('id', '=', id)
        .where('state', '=', LIVE)
        .where('expires_at_ms', '>', nowMs)
        .returning(DOOMED_COLUMNS)
        .executeTakeFirst();
    },

    doomIfUsedUp,

    async doomUpload(fileKey, uploadId, nowMs) {
      return db
        .updateTable('files')
        .set({ state: 'doomed', expires_at_ms: nowMs })
        .where('file_key', '=', fileKey)
        .where('upload_id', '=', uploadId)
        .where('state', '=', UPLOADING)
        .returning(DOOMED_COLUMNS)
        .executeTakeFirst();
    },

    async doomOverdue(nowMs, limit) {
      const doom = (files: Expression<string>): Step => ({
        query: db
          .updateTable('files')
          .set({ state: 'doomed', expires_at_ms: nowMs })
          .where('id', 'in', files)
          .returning('id')
          .compile(),
      });
      const ended = db
        .selectFrom('files')
        .select('id')
        .where('state', 'in', [UPLOADING, LIVE])
        .where('expires_at_ms', '<=', nowMs)
        .limit(limit)
        .$if(locks, (query) => query.forUpdate().skipLocked());
      const usedUp = db
        .selectFrom('files')
        .select('id')
        .where('state', '=', LIVE)
        .whereRef('current_downloads', '>=', 'max_downloads')
        .where((eb) => noLiveGrant(eb, nowMs))
        .limit(limit)
        .$if(locks, (query) => query.forUpdate().skipLocked());
      const steps = [doom(ended.$castTo<string>()), doom(usedUp.$castTo<string>())];
      return (await transact([...lockParts(db), ...steps])).slice(-steps.length).flat().length;
    },

    async forgetGrants(nowMs, limit) {
      const ended = db
        .selectFrom('grants')
        .select(['file_id', 'client_hash'])
        .where('expires_at_ms', '<=', nowMs)
        .limit(limit)
        .$if(locks, (query) => query.forUpdate().skipLocked());
      await db
        .deleteFrom('grants')
        .where(({ eb, refTuple }) =>
          eb(refTuple('file_id', 'client_hash'), 'in', ended.$asTuple('file_id', 'client_hash')),
        )
        .execute();
    },

    async claimDoomed(nowMs, leaseMs, limit) {
      const free = db
        .selectFrom('files')
        .select('id')
        .where('state', '=', DOOMED)
        .where('expires_at_ms', '<=', nowMs)
        // Oldest first: otherwise files that cannot be removed could be claimed again and again before all others.
        .orderBy('expires_at_ms')
        .limit(limit)
        .$if(locks, (query) => query.forUpdate().skipLocked());
      // The end of the lease. A doomed file needs no other expiry, so it has no column of its own.
      return db
        .updateTable('files')
        .set({ expires_at_ms: nowMs + leaseMs })
        .where('id', 'in', free)
        .returning(DOOMED_COLUMNS)
        .execute();
    },

    async unknownKeys(fileKeys) {
      if (fileKeys.length === 0) return [];
      const rows = await db.selectFrom('files').select('file_key').where('file_key', 'in', fileKeys).execute();
      const known = new Set(rows.map((row) => row.file_key));
      return fileKeys.filter((key) => !known.has(key));
    },

    async listLiveKeys(afterKey, limit) {
      return db
        .selectFrom('files')
        .select(['id', 'file_key as fileKey'])
        .where('file_key', '>', afterKey)
        .where('state', '=', LIVE)
        .orderBy('file_key')
        .limit(limit)
        .execute();
    },

    async eraseTraces(nowMs) {
      if (!file) return;
      // `secure_delete` overwrites a deleted row, but not the copies that remain when SQLite moves rows between pages.
      if (nowMs - rewritten.atMs >= REWRITTEN_EVERY_MS && (await file.pages()).all <= MAX_REWRITTEN_PAGES) {
        const { rows } = await sql<{ changes: number }>`select total_changes() as changes`.execute(db);
        const changes = rows[0]?.changes ?? 0;
        const hasChanged = changes !== rewritten.changes;
        rewritten = { atMs: nowMs, changes };
        if (hasChanged) await file.rewrite();
      }
      await shrink(file);
      // While a backup copies the database, the log stays until the next sweep.
      await file.emptyLog();
    },

    async forget(id) {
      const doomed = db.selectFrom('files').where('id', '=', id).where('state', '=', DOOMED);
      const page = db.selectFrom('files').select('page_id').where('id', '=', id);
      const ofPage = db.selectFrom('pages').where('page_id', 'in', page);
      const others = db.selectFrom('files').select('id').where('page_id', 'in', page).where('id', '!=', id);
      const size = doomed.select('stored_size').$asScalar();
      const part = doomed.select('usage_part').$asScalar();
      await orRefusal(
        transact([
          // If another call has forgotten it, nothing is counted again.
          {
            query: doomed
              .select('id')
              .$if(locks, (query) => query.forUpdate())
              .compile(),
            refusal: 'gone',
          },
          ...(locks ? lockPageAndParts(db, ofPage, part) : []),
          {
            query: db
              .updateTable('usage_parts')
              .set((eb) => ({ room_bytes: eb('room_bytes', '+', size), files: eb('files', '-', 1) }))
              .where('id', '=', part)
              .compile(),
          },
          {
            query: db
              .updateTable('usage')
              .set((eb) => ({ stored_bytes: eb('stored_bytes', '-', size), files: eb('files', '-', 1) }))
              .where(part, 'is', null)
              .compile(),
          },
          {
            query: db
              .deleteFrom('pages')
              .where('page_id', 'in', page)
              .where(({ not, exists }) => not(exists(others)))
              .compile(),
          },
          { query: db.deleteFrom('files').where('id', '=', id).compile() },
        ]),
      );
    },
  };
}

/**
 * With the page locked, if its last two files are forgotten at the same time, the second transaction sees that the first file is gone.
 * The page and the file may be counted in different parts, which are locked in their order.
 */
function lockPageAndParts(
  db: Kysely<Tables>,
  ofPage: SelectQueryBuilder<Tables, 'pages', object>,
  partOfFile: Expression<number | null>,
): Step[] {
  const parts = db
    .selectFrom('usage_parts')
    .select('id')
    .where((eb) => eb.or([eb('id', '=', partOfFile), eb('id', 'in', ofPage.select('usage_part'))]))
    .orderBy('id')
    .forUpdate();
  return [{ query: ofPage.select('page_id').forUpdate().compile() }, { query: parts.compile() }];
}
