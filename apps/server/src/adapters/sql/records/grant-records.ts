// Grants in SQL. The limit is kept by one conditional UPDATE: nobody counts first and acts later.
import type { Kysely } from 'kysely';
import type { FileRecords, GrantRecords } from '../../../ports/metadata-store.ts';
import { prepared } from '../prepared.ts';
import { LIVE, noLiveGrant } from './rows.ts';
import { locksRows } from '../row-locks.ts';
import type { Tables } from '../tables.ts';

export function grantRecords(db: Kysely<Tables>, files: FileRecords): GrantRecords {
  const takeOne = prepared<{ id: string; nowMs: number; clientHash: string }, { current_downloads: number }>((value) =>
    db
      .updateTable('files')
      .set((eb) => ({ current_downloads: eb('current_downloads', '+', 1) }))
      .where('id', '=', value('id'))
      .where('state', '=', LIVE)
      .where('expires_at_ms', '>', value('nowMs'))
      .whereRef('current_downloads', '<', 'max_downloads')
      .where((eb) => noLiveGrant(eb, value('nowMs'), value('clientHash')))
      .returning('current_downloads'),
  );
  const keepGrant = prepared<{ id: string; clientHash: string; expiresAtMs: number }, unknown>((value) =>
    db
      .insertInto('grants')
      .values({ file_id: value('id'), client_hash: value('clientHash'), expires_at_ms: value('expiresAtMs') })
      .onConflict((conflict) =>
        conflict.columns(['file_id', 'client_hash']).doUpdateSet({ expires_at_ms: value('expiresAtMs') }),
      ),
  );

  // A statement of PostgreSQL sees what was there when it began. One that had to wait for its row would not see the grant
  // that another call of the same client kept meanwhile, and would spend twice: so waiting is a statement of its own.
  const waitForTurn = prepared<{ id: string }, unknown>((value) =>
    db.selectFrom('files').select('id').where('id', '=', value('id')).forUpdate(),
  );

  return {
    async takeGrant(id, caller, grantExpiresAtMs) {
      const held = await files.findFile(id, caller);
      if (!held) return { outcome: 'not-found' };
      // Renewing spends nothing, so it writes nothing.
      if (held.granted) return { outcome: 'granted', file: held };
      // Nothing is ever given back, so that what is used up stays so: a crowd of late-comers waits for nobody.
      if (held.currentDownloads >= held.maxDownloads) return { outcome: 'limit-reached' };
      const taken = await db.transaction().execute(async (trx) => {
        if (locksRows(db)) await waitForTurn(trx, { id });
        const [row] = await takeOne(trx, { id, ...caller });
        if (row) await keepGrant(trx, { id, clientHash: caller.clientHash, expiresAtMs: grantExpiresAtMs });
        return row;
      });
      if (taken)
        return { outcome: 'granted', file: { ...held, currentDownloads: taken.current_downloads, granted: true } };
      const file = await files.findFile(id, caller);
      if (!file) return { outcome: 'not-found' };
      return file.granted ? { outcome: 'granted', file } : { outcome: 'limit-reached' };
    },

    async endGrant(id, { clientHash }) {
      await db.deleteFrom('grants').where('file_id', '=', id).where('client_hash', '=', clientHash).execute();
    },
  };
}
