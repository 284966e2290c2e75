// What servers of one database share: its id, jobs and rate limits. And the resume secrets of browsers.
import { type Kysely, sql } from 'kysely';
import type { ResumeSecretRecords, SharedRecords } from '../../../ports/metadata-store.ts';
import { locksRows, prepared, type SqlDatabase } from '../sql-database.ts';
import { lockParts } from './room.ts';
import { UPLOADING } from './rows.ts';
import type { Tables } from '../tables.ts';

/** State that servers share through the database, in SQL: jobs, rate limits and the id of the instance. */
export function sharedRecords({ db, transact }: SqlDatabase): SharedRecords {
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

    async knowsEpoch(epoch) {
      return (await db.selectFrom('epochs').select('id').where('id', '=', epoch).executeTakeFirst()) !== undefined;
    },

    async beginEpoch(epoch, nowMs, current, forgetBeforeMs) {
      await db.insertInto('epochs').values({ id: epoch, begun_at_ms: nowMs }).execute();
      await db
        .deleteFrom('epochs')
        .where('begun_at_ms', '<', forgetBeforeMs)
        .where('id', '!=', current ?? epoch)
        .execute();
    },

    async claim({ databaseId, epoch, nowMs, keepUnknownUntilMs }) {
      const open = db.updateTable('files').where('state', '=', UPLOADING);
      await transact([
        ...lockParts(db),
        // The sweeper removes the bytes of a doomed row by its key: no object has this one.
        {
          query: open.set((eb) => ({ file_key: eb.ref('id'), state: 'doomed', expires_at_ms: nowMs })).compile(),
        },
        {
          query: db
            .updateTable('instance')
            .set({ id: databaseId, keeps_unknown_until_ms: keepUnknownUntilMs })
            .compile(),
        },
        { query: db.deleteFrom('epochs').compile() },
        { query: db.insertInto('epochs').values({ id: epoch, begun_at_ms: nowMs }).compile() },
      ]);
    },

    async keepsUnknownUntilMs() {
      const row = await db.selectFrom('instance').select('keeps_unknown_until_ms').executeTakeFirstOrThrow();
      return row.keeps_unknown_until_ms;
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

/** Resume secrets in SQL. */
export function resumeSecretRecords(db: Kysely<Tables>): ResumeSecretRecords {
  return {
    async addResumeSecret({ idHash, secret, addressHash, expiresAtMs, endsAtMs }, maxOfAddress) {
      const ofAddress = db
        .selectFrom('resume_secrets')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('address_hash', '=', addressHash);
      // PostgreSQL may exceed the limit by as many rows as it inserts at the same moment, which does no harm.
      const row = db
        .selectNoFrom([
          sql<string>`cast(${idHash} as text)`.as('id_hash'),
          sql<string>`cast(${secret} as text)`.as('secret'),
          sql<string>`cast(${addressHash} as text)`.as('address_hash'),
          sql<number>`cast(${expiresAtMs} as bigint)`.as('expires_at_ms'),
          sql<number>`cast(${endsAtMs} as bigint)`.as('ends_at_ms'),
        ])
        .where(ofAddress, '<', maxOfAddress);
      const { numInsertedOrUpdatedRows = 0n } = await db
        .insertInto('resume_secrets')
        .columns(['id_hash', 'secret', 'address_hash', 'expires_at_ms', 'ends_at_ms'])
        .expression(row)
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows > 0n;
    },

    async renewResumeSecret(idHash, nowMs, expiresAtMs) {
      const renewed = await db
        .updateTable('resume_secrets')
        .set(({ eb, ref }) => ({
          expires_at_ms: eb.case().when('ends_at_ms', '<', expiresAtMs).then(ref('ends_at_ms')).else(expiresAtMs).end(),
        }))
        .where('id_hash', '=', idHash)
        .where('expires_at_ms', '>', nowMs)
        .returning('secret')
        .executeTakeFirst();
      return renewed?.secret;
    },

    async removeResumeSecret(idHash, nowMs) {
      const removed = await db
        .deleteFrom('resume_secrets')
        .where('id_hash', '=', idHash)
        .where('expires_at_ms', '>', nowMs)
        .executeTakeFirstOrThrow();
      return removed.numDeletedRows > 0n;
    },

    async forgetResumeSecrets(nowMs, limit) {
      const expired = db
        .selectFrom('resume_secrets')
        .select('id_hash')
        .where('expires_at_ms', '<=', nowMs)
        .limit(limit)
        .$if(locksRows(db), (query) => query.forUpdate().skipLocked());
      const { numDeletedRows } = await db
        .deleteFrom('resume_secrets')
        .where('id_hash', 'in', expired)
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
  };
}
