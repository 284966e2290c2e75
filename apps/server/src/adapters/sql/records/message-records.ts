// Messages and reports for the operator.
import type { Kysely } from 'kysely';
import type { NewMessage, OutboxMessage, OutboxRecords, ReportRecords } from '../../../ports/messages.ts';
import { locksRows, orRefusal, type SqlDatabase } from '../sql-database.ts';
import type { OutboxTable, Tables } from '../tables.ts';
import { LIVE } from './rows.ts';

/**
 * The outbox in SQL. A claim is one conditional UPDATE, so that two servers never send the same message at the same
 * time.
 */
export function outboxRecords(db: Kysely<Tables>): OutboxRecords {
  return {
    async addMessage(message) {
      await insertMessage(db, message).execute();
    },

    async claimMessages(nowMs, leaseMs, limit) {
      const rows = await db
        .updateTable('outbox')
        .set((eb) => ({ due_at_ms: nowMs + leaseMs, attempts: eb('attempts', '+', 1) }))
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('outbox')
            .select('id')
            .where('due_at_ms', '<=', nowMs)
            .orderBy('due_at_ms')
            .limit(limit)
            .$if(locksRows(db), (query) => query.forUpdate().skipLocked()),
        )
        .returningAll()
        .execute();
      return rows.map(outboxMessage);
    },

    async postponeMessage({ id, attempts }, dueAtMs) {
      await db
        .updateTable('outbox')
        .set({ due_at_ms: dueAtMs })
        .where('id', '=', id)
        .where('attempts', '=', attempts)
        .execute();
    },

    async removeMessage(id) {
      const { numDeletedRows } = await db.deleteFrom('outbox').where('id', '=', id).executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },

    async listMessages(limit) {
      const rows = await db.selectFrom('outbox').selectAll().orderBy('created_at_ms').limit(limit).execute();
      return rows.map(outboxMessage);
    },

    forgetMessages: (createdBeforeMs, limit) => forgetOld(db, 'outbox', createdBeforeMs, limit),
  };
}

async function forgetOld(
  db: Kysely<Tables>,
  table: 'outbox' | 'reports',
  createdBeforeMs: number,
  limit: number,
): Promise<void> {
  const old = db
    .selectFrom(table)
    .select('id')
    .where('created_at_ms', '<', createdBeforeMs)
    .limit(limit)
    .$if(locksRows(db), (query) => query.forUpdate().skipLocked());
  await db.deleteFrom(table).where('id', 'in', old).execute();
}

function insertMessage(db: Kysely<Tables>, message: NewMessage) {
  return db.insertInto('outbox').values({
    id: message.id,
    subject: message.subject,
    text: message.text,
    reply_to: message.replyTo ?? null,
    created_at_ms: message.createdAtMs,
    due_at_ms: message.createdAtMs,
    attempts: 0,
  });
}

function outboxMessage(row: OutboxTable): OutboxMessage {
  return {
    id: row.id,
    subject: row.subject,
    text: row.text,
    replyTo: row.reply_to ?? undefined,
    createdAtMs: row.created_at_ms,
    attempts: row.attempts,
  };
}

/** Reports in SQL. */
export function reportRecords({ db, transact }: SqlDatabase): ReportRecords {
  return {
    async addReport(report, notice) {
      const kept = db
        .insertInto('reports')
        .columns(['id', 'page_id', 'reason', 'reply_to', 'created_at_ms'])
        .expression((eb) =>
          eb
            .selectFrom('files')
            .select((of) => [
              of.val(report.id).as('id'),
              'page_id',
              of.val(report.reason).as('reason'),
              of.val(report.replyTo ?? null).as('reply_to'),
              of.val(report.createdAtMs).as('created_at_ms'),
            ])
            .where('page_id', '=', report.pageId)
            .where('state', '=', LIVE)
            .where('expires_at_ms', '>', report.createdAtMs)
            .limit(1),
        )
        .returning('id');
      const adding = transact([
        { query: kept.compile(), refusal: 'not-found' },
        ...(notice ? [{ query: insertMessage(db, notice).compile() }] : []),
      ]);
      return (await orRefusal(adding)) === 'done';
    },

    async listReports(limit) {
      const rows = await db.selectFrom('reports').selectAll().orderBy('created_at_ms').limit(limit).execute();
      return rows.map(({ id, page_id: pageId, reason, reply_to: replyTo, created_at_ms: createdAtMs }) => ({
        id,
        pageId,
        reason,
        replyTo: replyTo ?? undefined,
        createdAtMs,
      }));
    },

    async removeReport(id) {
      const { numDeletedRows } = await db.deleteFrom('reports').where('id', '=', id).executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },

    forgetReports: (createdBeforeMs, limit) => forgetOld(db, 'reports', createdBeforeMs, limit),
  };
}
