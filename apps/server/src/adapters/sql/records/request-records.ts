// Requests for files in SQL. A delivery is a page that belongs to a request: it ends with the last file of the page.
import type { Kysely, Selectable } from 'kysely';
import type { NewDelivery, RequestRecords, StoredRequest } from '../../../ports/metadata-store.ts';
import { locksRows, orRefusal, prepared, type SqlDatabase, type Step } from '../sql-database.ts';
import type { RequestsTable, Tables } from '../tables.ts';
import { PAGE_BYTES } from '../functions.ts';
import { fitsPage, inPartOrAll, lockParts, partOf, type Refused } from './room.ts';
import { LIVE, UPLOADING } from './rows.ts';
import { addRecords } from './upload-records.ts';

export function requestRecords({ db, transact }: SqlDatabase): RequestRecords {
  const oneRequest = prepared<{ id: string; nowMs: number }, Selectable<RequestsTable>>((value) =>
    db.selectFrom('requests').selectAll().where('id', '=', value('id')).where('ends_at_ms', '>', value('nowMs')),
  );

  return {
    async addRequest(request, limits) {
      const { length } = request.card;
      const room = { part: partOf(db, request.id), storedBytes: limits.storedBytes };
      const insertInto = (usagePart: number | null): Step[] => [
        fitsPage(db, usagePart, length + PAGE_BYTES, limits.storedBytes),
        ...addRecords(db, limits.records, length + PAGE_BYTES, length + PAGE_BYTES),
        { query: db.insertInto('requests').values(newRow(request, usagePart)).compile() },
      ];
      const outcome = await inPartOrAll(db, room, insertInto, (steps) => orRefusal<Refused>(transact(steps)));
      return outcome === 'done' ? 'reserved' : outcome;
    },

    async findRequest(id, nowMs) {
      const [row] = await oneRequest(db, { id, nowMs });
      return (
        row && {
          id,
          salt: row.salt,
          card: row.card,
          senderCheck: row.sender_check,
          ownerCheck: row.owner_check,
          retentionDays: row.retention_days,
          closesAtMs: row.closes_at_ms,
          endsAtMs: row.ends_at_ms,
          bytes: row.bytes,
          deliveries: row.deliveries,
        }
      );
    },

    async listDeliveries(requestId, nowMs, limit) {
      return db
        .selectFrom('pages')
        .select(['page_id as pageId', 'page_salt as pageSalt', 'sealed', 'delivered_at_ms as deliveredAtMs'])
        .where('request_id', '=', requestId)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('files')
              .select('id')
              .whereRef('files.page_id', '=', 'pages.page_id')
              .where('state', '=', LIVE)
              .where('expires_at_ms', '>', nowMs),
          ),
        )
        .orderBy('delivered_at_ms')
        .orderBy('page_id')
        .limit(limit)
        .$narrowType<{ pageSalt: string; sealed: string; deliveredAtMs: number }>()
        .execute();
    },

    async closeRequest(id, nowMs) {
      await db
        .updateTable('requests')
        .set({ closes_at_ms: nowMs })
        .where('id', '=', id)
        .where('closes_at_ms', '>', nowMs)
        .execute();
    },

    async endRequest(id, nowMs) {
      await db
        .updateTable('requests')
        .set((eb) => ({
          ends_at_ms: nowMs,
          closes_at_ms: eb.case().when('closes_at_ms', '<', nowMs).then(eb.ref('closes_at_ms')).else(nowMs).end(),
        }))
        .where('id', '=', id)
        .where('ends_at_ms', '>', nowMs)
        .execute();
    },

    async doomFilesOfEnded(nowMs, limit) {
      const ended = db.selectFrom('requests').select('id').where('ends_at_ms', '<=', nowMs);
      const files = db
        .selectFrom('files')
        .select('id')
        .where('request_id', 'in', ended)
        .where('state', 'in', [UPLOADING, LIVE])
        .limit(limit)
        .$if(locksRows(db), (query) => query.forUpdate().skipLocked());
      const doom = db
        .updateTable('files')
        .set({ state: 'doomed', expires_at_ms: nowMs })
        .where('id', 'in', files)
        .returning('id');
      return ((await transact([...lockParts(db), { query: doom.compile() }])).at(-1) ?? []).length;
    },

    async forgetRequests(nowMs, limit) {
      const ended = db
        .selectFrom('requests')
        .select('id')
        .where('ends_at_ms', '<=', nowMs)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('files').select('id').whereRef('files.request_id', '=', 'requests.id'))),
        )
        .limit(limit)
        .$if(locksRows(db), (query) => query.forUpdate().skipLocked());
      const remove = db.deleteFrom('requests').where('id', 'in', ended).returning('id');
      return ((await transact([...lockParts(db), { query: remove.compile() }])).at(-1) ?? []).length;
    },
  };
}

function newRow(request: Omit<StoredRequest, 'bytes' | 'deliveries'>, usagePart: number | null) {
  return {
    id: request.id,
    salt: request.salt,
    card: request.card,
    sender_check: request.senderCheck,
    owner_check: request.ownerCheck,
    retention_days: request.retentionDays,
    closes_at_ms: request.closesAtMs,
    ends_at_ms: request.endsAtMs,
    bytes: 0,
    deliveries: 0,
    usage_part: usagePart,
  };
}

/** Counts a delivery, or refuses it. `bytes`: of all its files, as they are stored. */
export function countDelivery(db: Kysely<Tables>, delivery: NewDelivery, bytes: number, nowMs: number): Step {
  const count = db
    .updateTable('requests')
    .set((eb) => ({ bytes: eb('bytes', '+', bytes), deliveries: eb('deliveries', '+', 1) }))
    .where('id', '=', delivery.requestId)
    .where('ends_at_ms', '>', nowMs)
    .where('deliveries', '<', delivery.maxDeliveries)
    .where('bytes', '<=', delivery.maxBytes - bytes)
    .returning('id');
  return { query: count.compile(), refusal: 'request-full' };
}
