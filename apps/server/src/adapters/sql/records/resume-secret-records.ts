// Resume secrets in SQL.
import { type Kysely, sql } from 'kysely';
import type { ResumeSecretRecords } from '../../../ports/metadata-store.ts';
import { locksRows } from '../sql-database.ts';
import type { Tables } from '../tables.ts';

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
