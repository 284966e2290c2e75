// Reports in SQL.
import type { Kysely } from 'kysely';
import type { ReportRecords } from '../../../ports/message-records.ts';
import { insertMessage } from './outbox-records.ts';
import { LIVE } from './rows.ts';
import type { Tables } from '../tables.ts';

export function reportRecords(db: Kysely<Tables>): ReportRecords {
  return {
    addReport: (report, notice) =>
      db.transaction().execute(async (trx) => {
        const kept = await trx
          .insertInto('reports')
          .columns(['id', 'page_id', 'reason', 'created_at_ms'])
          .expression((eb) =>
            eb
              .selectFrom('files')
              .select((of) => [
                of.val(report.id).as('id'),
                'page_id',
                of.val(report.reason).as('reason'),
                of.val(report.createdAtMs).as('created_at_ms'),
              ])
              .where('page_id', '=', report.pageId)
              .where('state', '=', LIVE)
              .where('expires_at_ms', '>', report.createdAtMs)
              .limit(1),
          )
          .returning('id')
          .executeTakeFirst();
        if (!kept) return false;
        if (notice) await insertMessage(trx, notice);
        return true;
      }),

    async listReports(limit) {
      return db
        .selectFrom('reports')
        .select(['id', 'page_id as pageId', 'reason', 'created_at_ms as createdAtMs'])
        .orderBy('created_at_ms')
        .limit(limit)
        .execute();
    },

    async removeReport(id) {
      const { numDeletedRows } = await db.deleteFrom('reports').where('id', '=', id).executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },
  };
}
