// State that servers share through the database, in SQL: jobs, rate limits and the id of the instance.
import type { Kysely } from 'kysely';
import type { SharedRecords } from '../../../ports/metadata-store.ts';
import { locksRows, prepared } from '../sql-database.ts';
import type { Tables } from '../tables.ts';

export function sharedRecords(db: Kysely<Tables>): SharedRecords {
  const addHit = prepared<{ key: string; nowMs: number; endsAtMs: number }, { hits: number; ends_at_ms: number }>(
    (value) =>
      db
        .insertInto('rates')
        .values({ key: value('key'), hits: 1, ends_at_ms: value('endsAtMs') })
        .onConflict((conflict) =>
          conflict.column('key').doUpdateSet((eb) => {
            const hasEnded = eb('rates.ends_at_ms', '<=', value('nowMs'));
            return {
              hits: eb
                .case()
                .when(hasEnded)
                .then(1)
                .else(eb('rates.hits', '+', 1))
                .end(),
              ends_at_ms: eb
                .case()
                .when(hasEnded)
                .then(eb.ref('excluded.ends_at_ms'))
                .else(eb.ref('rates.ends_at_ms'))
                .end(),
            };
          }),
        )
        .returning(['hits', 'ends_at_ms']),
  );

  return {
    async databaseId() {
      const { id } = await db.selectFrom('instance').select('id').executeTakeFirstOrThrow();
      return id;
    },

    async claimJob(name, nowMs, leaseMs) {
      const claimed = await db
        .insertInto('jobs')
        .values({ name, lease_ends_at_ms: nowMs + leaseMs, progress: '' })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet({ lease_ends_at_ms: nowMs + leaseMs })
            .where('jobs.lease_ends_at_ms', '<=', nowMs),
        )
        .returning('progress')
        .executeTakeFirst();
      return claimed?.progress;
    },

    async saveProgress(name, progress) {
      await db.updateTable('jobs').set({ progress }).where('name', '=', name).execute();
    },

    async countHit(key, nowMs, windowMs) {
      const [row] = await addHit(db, { key, nowMs, endsAtMs: nowMs + windowMs });
      if (!row) throw new Error('an upsert returned nothing');
      return { hits: row.hits, endsAtMs: row.ends_at_ms };
    },

    async forgetHits(nowMs, limit) {
      const ended = db
        .selectFrom('rates')
        .select('key')
        .where('ends_at_ms', '<=', nowMs)
        .limit(limit)
        .$if(locksRows(db), (query) => query.forUpdate().skipLocked());
      const { numDeletedRows } = await db.deleteFrom('rates').where('key', 'in', ended).executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
  };
}
