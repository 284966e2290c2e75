// Grants in SQL. The limit is kept by one conditional UPDATE: nobody counts first and acts later.
import type { Kysely } from 'kysely';
import type { FileRecords, GrantRecords } from '../../ports/metadata-store.ts';
import { noLiveGrant } from './rows.ts';
import type { Tables } from './tables.ts';

export function grantRecords(db: Kysely<Tables>, files: FileRecords): GrantRecords {
  return {
    async takeGrant(id, asker, grantExpiresAtMs) {
      const { clientHash, nowMs } = asker;
      await db.transaction().execute(async (trx) => {
        const taken = await trx
          .updateTable('files')
          .set((eb) => ({ current_downloads: eb('current_downloads', '+', 1) }))
          .where('id', '=', id)
          .where('state', '=', 'live')
          .where('expires_at_ms', '>', nowMs)
          .whereRef('current_downloads', '<', 'max_downloads')
          .where((eb) => noLiveGrant(eb, nowMs, clientHash))
          .returning('id')
          .executeTakeFirst();
        if (!taken) return;
        await trx
          .insertInto('grants')
          .values({ file_id: id, client_hash: clientHash, expires_at_ms: grantExpiresAtMs })
          .onConflict((conflict) =>
            conflict.columns(['file_id', 'client_hash']).doUpdateSet({ expires_at_ms: grantExpiresAtMs }),
          )
          .execute();
      });
      const file = await files.findFile(id, asker);
      if (!file) return { outcome: 'not-found' };
      return file.granted ? { outcome: 'granted', file } : { outcome: 'limit-reached' };
    },

    async endGrant(id, { clientHash }) {
      await db.deleteFrom('grants').where('file_id', '=', id).where('client_hash', '=', clientHash).execute();
    },
  };
}
