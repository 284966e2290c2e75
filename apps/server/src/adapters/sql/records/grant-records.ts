// Grants in SQL. One conditional UPDATE, `countDownload`, enforces the limit.
import type { Kysely } from 'kysely';
import type { FileRecords, GrantRecords } from '../../../ports/metadata-store.ts';
import { locksRows, prepared } from '../sql-database.ts';
import { LIVE, noLiveGrant } from './rows.ts';
import type { Tables } from '../tables.ts';

export function grantRecords(db: Kysely<Tables>, files: FileRecords): GrantRecords {
  const countDownload = prepared<{ id: string; nowMs: number; clientHash: string }, { current_downloads: number }>(
    (value) =>
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
  const storeGrant = prepared<{ id: string; clientHash: string; expiresAtMs: number }, unknown>((value) =>
    db
      .insertInto('grants')
      .values({ file_id: value('id'), client_hash: value('clientHash'), expires_at_ms: value('expiresAtMs') })
      .onConflict((conflict) =>
        conflict.columns(['file_id', 'client_hash']).doUpdateSet({ expires_at_ms: value('expiresAtMs') }),
      ),
  );

  // A PostgreSQL statement sees the rows as they were when it began. If it had to wait for its row, it would not see the
  // grant that another call of the same client has stored in the meantime, and would count two downloads. So the
  // waiting is done by a separate statement.
  const lockFile = prepared<{ id: string }, unknown>((value) =>
    db.selectFrom('files').select('id').where('id', '=', value('id')).forUpdate(),
  );

  return {
    async takeGrant(id, caller, grantExpiresAtMs, isAllowed) {
      const held = await files.findFile(id, caller);
      if (!held) return { outcome: 'not-found' };
      if (!isAllowed(held)) return { outcome: 'not-allowed' };
      // Renewing does not count a download, so it writes nothing.
      if (held.granted) return { outcome: 'granted', file: held };
      // A count never decreases, so a file that has reached its limit stays there: such calls need no lock.
      if (held.currentDownloads >= held.maxDownloads) return { outcome: 'limit-reached' };
      const taken = await db.transaction().execute(async (trx) => {
        if (locksRows(db)) await lockFile(trx, { id });
        const [row] = await countDownload(trx, { id, ...caller });
        if (row) await storeGrant(trx, { id, clientHash: caller.clientHash, expiresAtMs: grantExpiresAtMs });
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
