// The end of files in SQL.
import type { Kysely } from 'kysely';
import type { DoomedFile, DoomRecords } from '../../ports/metadata-store.ts';
import { DOOMED_COLUMNS, noLiveGrant } from './rows.ts';
import type { Tables } from './tables.ts';

export function doomRecords(db: Kysely<Tables>): DoomRecords {
  async function doomIfUsedUp(id: string, nowMs: number): Promise<DoomedFile | undefined> {
    return db
      .updateTable('files')
      .set({ state: 'doomed' })
      .where('id', '=', id)
      .where('state', '=', 'live')
      .whereRef('current_downloads', '>=', 'max_downloads')
      .where((eb) => noLiveGrant(eb, nowMs))
      .returning(DOOMED_COLUMNS)
      .executeTakeFirst();
  }

  return {
    async doomFile(id, nowMs) {
      return db
        .updateTable('files')
        .set({ state: 'doomed' })
        .where('id', '=', id)
        .where('state', '=', 'live')
        .where('expires_at_ms', '>', nowMs)
        .returning(DOOMED_COLUMNS)
        .executeTakeFirst();
    },

    doomIfUsedUp,

    async doomUpload(fileKey, uploadId) {
      return db
        .updateTable('files')
        .set({ state: 'doomed' })
        .where('file_key', '=', fileKey)
        .where('upload_id', '=', uploadId)
        .where('state', '=', 'uploading')
        .returning(DOOMED_COLUMNS)
        .executeTakeFirst();
    },

    async doomOverdue(nowMs, limit) {
      const overdue = await db
        .updateTable('files')
        .set({ state: 'doomed' })
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('files')
            .select('id')
            .where('state', 'in', ['uploading', 'live'])
            .where('expires_at_ms', '<=', nowMs)
            .limit(limit),
        )
        .returning('id')
        .execute();
      const runOut = await db
        .selectFrom('grants')
        .select(['file_id', 'client_hash'])
        .where('expires_at_ms', '<=', nowMs)
        .limit(limit)
        .execute();
      let usedUp = 0;
      for (const { file_id, client_hash } of runOut) {
        await db
          .deleteFrom('grants')
          .where('file_id', '=', file_id)
          .where('client_hash', '=', client_hash)
          .where('expires_at_ms', '<=', nowMs)
          .execute();
        if (await doomIfUsedUp(file_id, nowMs)) usedUp += 1;
      }
      return overdue.length + usedUp;
    },

    async listDoomed(limit) {
      return db.selectFrom('files').select(DOOMED_COLUMNS).where('state', '=', 'doomed').limit(limit).execute();
    },

    forget: (id) =>
      db.transaction().execute(async (trx) => {
        const gone = await trx
          .deleteFrom('files')
          .where('id', '=', id)
          .where('state', '=', 'doomed')
          .returning('stored_size')
          .executeTakeFirst();
        if (!gone) return;
        await trx
          .updateTable('usage')
          .set((eb) => ({ stored_bytes: eb('stored_bytes', '-', gone.stored_size), files: eb('files', '-', 1) }))
          .execute();
      }),
  };
}
