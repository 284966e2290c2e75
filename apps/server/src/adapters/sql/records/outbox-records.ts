// The outbox in SQL. A claim is one conditional UPDATE, so that two servers never send the same message at the same time.
import type { Kysely } from 'kysely';
import type { NewMessage, OutboxMessage, OutboxRecords } from '../../../ports/message-records.ts';
import { locksRows } from '../row-locks.ts';
import type { OutboxTable, Tables } from '../tables.ts';

export function outboxRecords(db: Kysely<Tables>): OutboxRecords {
  return {
    addMessage: (message) => insertMessage(db, message),

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
  };
}

export async function insertMessage(db: Kysely<Tables>, message: NewMessage): Promise<void> {
  await db
    .insertInto('outbox')
    .values({
      id: message.id,
      subject: message.subject,
      text: message.text,
      reply_to: message.replyTo ?? null,
      created_at_ms: message.createdAtMs,
      due_at_ms: message.createdAtMs,
      attempts: 0,
    })
    .execute();
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
