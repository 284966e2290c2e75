// Uploads in SQL.
import { type Kysely, type Selectable, sql } from 'kysely';
import type { NewUpload, Reservation, ReservationLimits, UploadRecords } from '../../../ports/metadata-store.ts';
import { locksRows, prepared } from '../sql-database.ts';
import { describedFile, DOOMED, LIVE, UPLOADING } from './rows.ts';
import type { FilesTable, Tables } from '../tables.ts';

export function uploadRecords(db: Kysely<Tables>): UploadRecords {
  const oneUpload = prepared<{ fileKey: string; uploadId: string; nowMs: number }, Selectable<FilesTable>>((value) =>
    db
      .selectFrom('files')
      .selectAll()
      .where('file_key', '=', value('fileKey'))
      .where('upload_id', '=', value('uploadId'))
      .where('state', '!=', DOOMED)
      .where('expires_at_ms', '>', value('nowMs')),
  );
  const recordSent = prepared<{ fileKey: string; sentBytes: number; expiresAtMs: number }, unknown>((value) =>
    db
      .updateTable('files')
      .set((eb) => ({
        unsent_bytes: eb('stored_size', '-', value('sentBytes')),
        expires_at_ms: value('expiresAtMs'),
      }))
      .where('file_key', '=', value('fileKey'))
      .where('state', '=', UPLOADING)
      .where((eb) => eb('unsent_bytes', '>', eb('stored_size', '-', value('sentBytes')))),
  );

  return {
    async insertUpload(upload, limits) {
      try {
        await db.transaction().execute((trx) => reserve(trx, upload, limits));
        return 'reserved';
      } catch (error) {
        if (error instanceof Refusal) return error.reason;
        throw error;
      }
    },

    async forgetVolumes(beforeDay, limit) {
      const old = db
        .selectFrom('volumes')
        .select(['day', 'address_hash'])
        .where('day', '<', beforeDay)
        .limit(limit)
        .$if(locksRows(db), (query) => query.forUpdate().skipLocked());
      await db
        .deleteFrom('volumes')
        .where(({ eb, refTuple }) => eb(refTuple('day', 'address_hash'), 'in', old.$asTuple('day', 'address_hash')))
        .execute();
    },

    async findUpload(fileKey, uploadId, nowMs) {
      const [row] = await oneUpload(db, { fileKey, uploadId, nowMs });
      return (
        row && {
          ...describedFile(row),
          uploadId,
          openedAtMs: row.opened_at_ms,
          expiresAtMs: row.expires_at_ms,
          pageId: row.page_id ?? undefined,
        }
      );
    },

    async recordSentBytes(fileKey, sentBytes, expiresAtMs) {
      await recordSent(db, { fileKey, sentBytes, expiresAtMs });
    },

    async completeUpload(fileKey, completion) {
      const completed = await db
        .updateTable('files')
        .set({
          state: 'live',
          salt: completion.salt ?? null,
          key_check: completion.keyCheck ?? null,
          format: completion.format,
          page_salt: completion.pageSalt ?? null,
          access_check: completion.accessCheck ?? null,
          details: completion.details ?? null,
          created_at_ms: completion.createdAtMs,
          expires_at_ms: completion.expiresAtMs,
          page_id: completion.pageId,
          address_hash: null,
          unsent_bytes: 0,
        })
        .where('file_key', '=', fileKey)
        .where('state', '=', UPLOADING)
        .returning('page_id')
        .executeTakeFirst();
      const earlier = db
        .selectFrom('files')
        .select('page_id')
        .where('file_key', '=', fileKey)
        .where('state', '=', LIVE);
      const row = completed ?? (await earlier.executeTakeFirst());
      return row?.page_id ?? undefined;
    },
  };
}

/** Rolls the transaction back. */
class Refusal extends Error {
  readonly reason: Exclude<Reservation, 'reserved'>;

  constructor(reason: Exclude<Reservation, 'reserved'>) {
    super(reason);
    this.reason = reason;
  }
}

/** The first statement locks the only row of `usage`, so reservations follow one another and each sum is exact. */
async function reserve(trx: Kysely<Tables>, upload: NewUpload, limits: ReservationLimits): Promise<void> {
  const { storedSize: bytes, addressHash } = upload;
  const usage = await trx
    .updateTable('usage')
    .set((eb) => ({ stored_bytes: eb('stored_bytes', '+', bytes), files: eb('files', '+', 1) }))
    .where('stored_bytes', '<=', limits.storedBytes - bytes)
    .returning('stored_bytes')
    .executeTakeFirst();
  if (!usage) throw new Refusal('storage-full');
  const unsent = await sumOfUnsent(trx, addressHash);
  const rest = Math.min(limits.unsentBytes - unsent.all, limits.storedBytes - (usage.stored_bytes - bytes));
  if (bytes > rest * limits.shareOfRest) throw new Refusal('storage-full');
  const isTooMuch = unsent.ofAddress + bytes > limits.unsentBytesOfAddress;
  if (isTooMuch || unsent.uploadsOfAddress >= limits.openUploadsOfAddress) throw new Refusal('too-much-unsent');
  const allowed = (rest + unsent.all) * limits.shareOfAddress;
  if (unsent.ofAddress > 0 && unsent.ofAddress + bytes > allowed) throw new Refusal('too-much-unsent');
  await addToVolume(trx, upload, limits.dailyBytesOfAddress);
  await trx
    .insertInto('files')
    .values({
      id: upload.id,
      file_key: upload.fileKey,
      upload_id: upload.uploadId,
      state: 'uploading',
      file_name: upload.fileName,
      file_size: upload.fileSize,
      stored_size: bytes,
      content_type: upload.contentType,
      chunk_size: upload.chunkSize,
      is_encrypted: upload.isEncrypted ? 1 : 0,
      max_downloads: upload.maxDownloads,
      current_downloads: 0,
      retention_days: upload.retentionDays,
      expires_at_ms: upload.expiresAtMs,
      position: 0,
      is_grouped: 0,
      address_hash: addressHash,
      unsent_bytes: bytes,
      opened_at_ms: upload.openedAtMs,
    })
    .execute();
}

async function addToVolume(trx: Kysely<Tables>, { addressHash, day, storedSize }: NewUpload, max: number) {
  if (storedSize > max) throw new Refusal('daily-limit-reached');
  const added = await trx
    .insertInto('volumes')
    .values({ address_hash: addressHash, day, bytes: storedSize })
    .onConflict((conflict) =>
      conflict
        .columns(['day', 'address_hash'])
        .doUpdateSet((eb) => ({ bytes: eb('volumes.bytes', '+', storedSize) }))
        .where('volumes.bytes', '<=', max - storedSize),
    )
    .returning('day')
    .executeTakeFirst();
  if (!added) throw new Refusal('daily-limit-reached');
}

interface Unsent {
  all: number;
  ofAddress: number;
  uploadsOfAddress: number;
}

/** Bytes that open uploads have announced and not yet sent. Reads one index entry for each open upload. */
async function sumOfUnsent(db: Kysely<Tables>, addressHash: string): Promise<Unsent> {
  return db
    .selectFrom('files')
    .select(({ fn, eb }) => {
      const isOwn = eb.case().when('address_hash', '=', addressHash).then(1).else(0).end();
      const own = eb.case().when('address_hash', '=', addressHash).then(eb.ref('unsent_bytes')).else(0).end();
      return [
        fn.coalesce(fn.sum<number>('unsent_bytes'), sql<number>`0`).as('all'),
        fn.coalesce(fn.sum<number>(own), sql<number>`0`).as('ofAddress'),
        fn.coalesce(fn.sum<number>(isOwn), sql<number>`0`).as('uploadsOfAddress'),
      ];
    })
    .where('state', '=', UPLOADING)
    .executeTakeFirstOrThrow();
}
