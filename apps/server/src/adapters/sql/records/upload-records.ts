// Uploads in SQL.
import { type Kysely, type Selectable, sql } from 'kysely';
import type {
  Completion,
  NewUpload,
  RecordLimit,
  Reservation,
  ReservationLimits,
  UploadRecords,
} from '../../../ports/metadata-store.ts';
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
  type Sent = { fileKey: string; sentBytes: number; nowMs: number; expiresAtMs: number };
  const recordSent = prepared<Sent, unknown>((value) =>
    db
      .updateTable('files')
      .set((eb) => ({
        unsent_bytes: eb('stored_size', '-', value('sentBytes')),
        active_at_ms: value('nowMs'),
        expires_at_ms: value('expiresAtMs'),
      }))
      .where('file_key', '=', value('fileKey'))
      .where('state', '=', UPLOADING)
      .where((eb) => eb('unsent_bytes', '>', eb('stored_size', '-', value('sentBytes')))),
  );
  const complete = prepared<ReturnType<typeof completedColumns>, unknown>((value) =>
    db
      .updateTable('files')
      .set((eb) => ({
        state: LIVE,
        salt: value('salt'),
        key_check: value('keyCheck'),
        format: value('format'),
        page_salt: value('pageSalt'),
        access_check: value('accessCheck'),
        details: value('details'),
        created_at_ms: value('createdAtMs'),
        expires_at_ms: value('expiresAtMs'),
        page_id: value('pageId'),
        uploader_hash: value('uploaderHash'),
        address_hash: null,
        unsent_bytes: 0,
        extra_bytes: eb('extra_bytes', '-', value('unusedBytes')),
      }))
      .where('file_key', '=', value('fileKey'))
      .where('state', '=', UPLOADING)
      .returning('id'),
  );

  return {
    async insertUpload(upload, limits) {
      return orRefusal(() =>
        db.transaction().execute(async (trx) => {
          const { storedSize: bytes, extraBytes: extra, addressHash, day, recordBytes } = upload;
          await takeRoom(trx, { bytes, extra, addressHash, stored: bytes, files: 1 }, limits);
          const { dailyBytesOfAddress, dailyRecordBytesOfAddress } = limits;
          const volume = { addressHash, day, bytes: bytes + extra, recordBytes };
          await addToVolume(trx, volume, dailyBytesOfAddress, dailyRecordBytesOfAddress);
          await insert(trx, upload);
        }),
      );
    },

    async releaseReservations(inactiveSinceMs, limit) {
      const inactive = db
        .selectFrom('files')
        .select('id')
        .where('state', '=', UPLOADING)
        .where('unsent_bytes', '>', sql.lit(0))
        .where('active_at_ms', '<=', inactiveSinceMs)
        .limit(limit)
        .$if(locksRows(db), (query) => query.forUpdate().skipLocked());
      const { numUpdatedRows } = await db
        .updateTable('files')
        .set((eb) => ({
          released_bytes: eb('released_bytes', '+', eb.ref('unsent_bytes')),
          extra_bytes: eb('extra_bytes', '-', eb.ref('unsent_bytes')),
          unsent_bytes: 0,
        }))
        .where('id', 'in', inactive)
        .executeTakeFirstOrThrow();
      return Number(numUpdatedRows);
    },

    async reserveAgain(fileKey, nowMs, limits) {
      return orRefusal(() =>
        db.transaction().execute(async (trx) => {
          const upload = await trx
            .selectFrom('files')
            .select(['released_bytes', 'address_hash'])
            .where('file_key', '=', fileKey)
            .where('state', '=', UPLOADING)
            .$if(locksRows(db), (query) => query.forUpdate())
            .executeTakeFirst();
          // Another call has done it.
          if (!upload?.released_bytes) return;
          const { released_bytes: bytes, address_hash } = upload;
          await takeRoom(trx, { bytes, addressHash: address_hash ?? '', stored: 0, files: 0 }, limits);
          await trx
            .updateTable('files')
            .set((eb) => ({
              unsent_bytes: bytes,
              extra_bytes: eb('extra_bytes', '+', bytes),
              released_bytes: 0,
              active_at_ms: nowMs,
            }))
            .where('file_key', '=', fileKey)
            .execute();
        }),
      );
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
          activeAtMs: row.active_at_ms,
          releasedBytes: row.released_bytes,
          expiresAtMs: row.expires_at_ms,
          pageId: row.page_id ?? undefined,
        }
      );
    },

    async recordSentBytes(fileKey, sentBytes, nowMs, expiresAtMs) {
      await recordSent(db, { fileKey, sentBytes, nowMs, expiresAtMs });
    },

    async completeUpload(fileKey, completion) {
      try {
        return await db.transaction().execute(async (trx) => {
          const { details, records, pageId } = completion;
          const [completed] = await complete(trx, completedColumns(fileKey, completion));
          if (completed) {
            await addRecords(trx, records, details?.length ?? 0);
            return { outcome: 'completed', pageId };
          }
          const earlier = await trx
            .selectFrom('files')
            .select('page_id')
            .where('file_key', '=', fileKey)
            .where('state', '=', LIVE)
            .executeTakeFirst();
          return earlier?.page_id ? { outcome: 'completed', pageId: earlier.page_id } : { outcome: 'not-found' };
        });
      } catch (error) {
        if (error instanceof Refusal) return { outcome: 'daily-limit-reached' };
        throw error;
      }
    },
  };
}

function completedColumns(fileKey: string, completion: Completion) {
  const { salt = null, keyCheck = null, pageSalt = null, accessCheck = null, details = null } = completion;
  const { format, pageId, uploaderHash, createdAtMs, expiresAtMs, unusedBytes } = completion;
  const sealing = { format, salt, keyCheck, pageSalt, accessCheck, details };
  return { ...sealing, fileKey, pageId, uploaderHash, createdAtMs, expiresAtMs, unusedBytes };
}

/** Rolls the transaction back. */
export class Refusal extends Error {
  readonly reason: Exclude<Reservation, 'reserved'>;

  constructor(reason: Exclude<Reservation, 'reserved'>) {
    super(reason);
    this.reason = reason;
  }
}

async function orRefusal(reserving: () => Promise<void>): Promise<Reservation> {
  try {
    await reserving();
    return 'reserved';
  } catch (error) {
    if (error instanceof Refusal) return error.reason;
    throw error;
  }
}

interface Room {
  /** To be sent. */
  bytes: number;
  addressHash: string;
  /** How much is added to `usage`. */
  stored: number;
  files: number;
  /** What else is about to be counted. */
  extra?: number;
}

/**
 * Throws a Refusal if there is no room. The first statement locks the only row of `usage`, so reservations follow one another
 * and each sum is exact.
 */
async function takeRoom(
  trx: Kysely<Tables>,
  { bytes, extra = 0, addressHash, stored, files }: Room,
  limits: ReservationLimits,
): Promise<void> {
  const usage = await trx
    .updateTable('usage')
    .set((eb) => ({ stored_bytes: eb('stored_bytes', '+', stored), files: eb('files', '+', files) }))
    .where((eb) => eb(eb('stored_bytes', '+', eb.ref('extra_bytes')), '<=', limits.storedBytes - bytes - extra))
    .returning(['stored_bytes', 'extra_bytes', 'unsent_bytes'])
    .executeTakeFirst();
  if (!usage) throw new Refusal('storage-full');
  const own = await unsentOf(trx, addressHash);
  const used = usage.stored_bytes - stored + usage.extra_bytes;
  const rest = Math.min(limits.unsentBytes - usage.unsent_bytes, limits.storedBytes - used);
  if (bytes + extra > rest * limits.shareOfRest) throw new Refusal('storage-full');
  const isTooMuch = own.bytes + bytes > limits.unsentBytesOfAddress;
  if (isTooMuch || (files > 0 && own.uploads >= limits.openUploadsOfAddress)) throw new Refusal('too-much-unsent');
  const allowed = (rest + usage.unsent_bytes) * limits.shareOfAddress;
  if (own.bytes > 0 && own.bytes + bytes > allowed) throw new Refusal('too-much-unsent');
}

async function insert(trx: Kysely<Tables>, upload: NewUpload): Promise<void> {
  await trx
    .insertInto('files')
    .values({
      id: upload.id,
      file_key: upload.fileKey,
      upload_id: upload.uploadId,
      state: 'uploading',
      file_name: upload.fileName,
      file_size: upload.fileSize,
      stored_size: upload.storedSize,
      content_type: upload.contentType,
      chunk_size: upload.chunkSize,
      is_encrypted: upload.isEncrypted ? 1 : 0,
      max_downloads: upload.maxDownloads,
      current_downloads: 0,
      retention_days: upload.retentionDays,
      expires_at_ms: upload.expiresAtMs,
      position: 0,
      is_grouped: 0,
      address_hash: upload.addressHash,
      unsent_bytes: upload.storedSize,
      opened_at_ms: upload.openedAtMs,
      extra_bytes: upload.extraBytes,
      active_at_ms: upload.openedAtMs,
    })
    .execute();
}

interface Volume {
  addressHash: string;
  day: string;
  bytes: number;
  recordBytes: number;
}

async function addToVolume(trx: Kysely<Tables>, volume: Volume, maxBytes: number, maxRecordBytes: number) {
  const { addressHash, day, bytes, recordBytes } = volume;
  if (bytes > maxBytes || recordBytes > maxRecordBytes) throw new Refusal('daily-limit-reached');
  const added = await trx
    .insertInto('volumes')
    .values({ address_hash: addressHash, day, bytes, record_bytes: recordBytes })
    .onConflict((conflict) =>
      conflict
        .columns(['day', 'address_hash'])
        .doUpdateSet((eb) => ({
          bytes: eb('volumes.bytes', '+', bytes),
          record_bytes: eb('volumes.record_bytes', '+', recordBytes),
        }))
        .where('volumes.bytes', '<=', maxBytes - bytes)
        .where('volumes.record_bytes', '<=', maxRecordBytes - recordBytes),
    )
    .returning('day')
    .executeTakeFirst();
  if (!added) throw new Refusal('daily-limit-reached');
}

/**
 * Counts bytes that an address adds to the database. Throws a Refusal if they are too many. `bytes` are those that were not yet
 * counted when the upload was opened.
 */
export async function addRecords(trx: Kysely<Tables>, limit: RecordLimit, recordBytes: number, bytes = 0) {
  const { addressHash, day, max } = limit;
  if (recordBytes > 0) await addToVolume(trx, { addressHash, day, bytes, recordBytes }, Number.MAX_SAFE_INTEGER, max);
}

/** Bytes that open uploads of an address have announced and not yet sent. Their number has a limit. */
async function unsentOf(db: Kysely<Tables>, addressHash: string): Promise<{ bytes: number; uploads: number }> {
  return db
    .selectFrom('files')
    .select(({ fn }) => [
      fn.coalesce(fn.sum<number>('unsent_bytes'), sql<number>`0`).as('bytes'),
      fn.countAll<number>().as('uploads'),
    ])
    .where('state', '=', UPLOADING)
    .where('address_hash', '=', addressHash)
    .executeTakeFirstOrThrow();
}
