// Uploads in SQL.
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type {
  Completion,
  LargerNetwork,
  NewUpload,
  RecordLimit,
  ReservationLimits,
  UploadRecords,
} from '../../../ports/metadata-store.ts';
import { locksRows, orRefusal, prepared, type SqlDatabase, type Step } from '../sql-database.ts';
import { lockParts, openUploads, partOf, type Refused, takeRoom, takeRoomOfPart, withAllRoom } from './room.ts';
import { describedFile, DOOMED, LIVE, UPLOADING } from './rows.ts';
import type { FilesTable, Tables } from '../tables.ts';

export function uploadRecords({ db, transact }: SqlDatabase): UploadRecords {
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
        network_hash: null,
        unsent_bytes: 0,
        extra_bytes: eb('extra_bytes', '-', value('unusedBytes')),
      }))
      .where('file_key', '=', value('fileKey'))
      .where('state', '=', UPLOADING)
      .returning('id'),
  );

  return {
    async insertUpload(upload, limits) {
      const { storedSize: bytes, extraBytes: extra, addressHash, day, network, recordBytes } = upload;
      const volume = { addressHash, day, network, bytes: bytes + extra, recordBytes };
      const { dailyBytesOfAddress, dailyRecordBytesOfAddress } = limits;
      // Without a row of the day, nothing else compares them.
      if (volume.bytes > dailyBytesOfAddress) return 'daily-limit-reached';
      const networkHash = network?.addressHash;
      const room = { bytes, extra, addressHash, networkHash, stored: bytes, files: 1 };
      const insert = (usagePart: number | null): Step[] => [
        recordsFit(db, volume, limits),
        ...addToVolume(db, volume, dailyBytesOfAddress, dailyRecordBytesOfAddress),
        { query: db.insertInto('files').values(newRow(upload, usagePart)).compile() },
      ];
      const part = partOf(db, networkHash ?? addressHash);
      // Only a quota is lent. The free space of a disk changes without our calls, so it is compared each time.
      const isLent = part !== null && limits.unsentBytes === Number.MAX_SAFE_INTEGER;
      if (isLent) {
        const steps = [...takeRoomOfPart(db, part, room, limits), ...insert(part)];
        const outcome = await orRefusal<Refused>(transact(steps));
        if (outcome !== 'storage-full') return outcome === 'done' ? 'reserved' : outcome;
      }
      const outcome = await orRefusal<Refused>(
        transact(withAllRoom(db, limits.storedBytes, [...takeRoom(db, room, limits), ...insert(null)])),
      );
      return outcome === 'done' ? 'reserved' : outcome;
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
      const release = db
        .updateTable('files')
        .set((eb) => ({
          released_bytes: eb('released_bytes', '+', eb.ref('unsent_bytes')),
          extra_bytes: eb('extra_bytes', '-', eb.ref('unsent_bytes')),
          unsent_bytes: 0,
        }))
        .where('id', 'in', inactive)
        .returning('id');
      const released = (await transact([...lockParts(db), { query: release.compile() }])).at(-1) ?? [];
      return released.length;
    },

    async reserveAgain(fileKey, nowMs, limits) {
      const released = db
        .selectFrom('files')
        .select(['released_bytes', 'address_hash', 'network_hash'])
        .where('file_key', '=', fileKey)
        .where('state', '=', UPLOADING);
      const upload = await released.executeTakeFirst();
      // Another call has done it.
      if (!upload?.released_bytes) return 'reserved';
      const { released_bytes: bytes, address_hash: addressHash, network_hash: networkHash } = upload;
      const unchanged = released.where('released_bytes', '=', bytes);
      const change = db
        .updateTable('files')
        .set((eb) => ({
          unsent_bytes: bytes,
          extra_bytes: eb('extra_bytes', '+', bytes),
          released_bytes: 0,
          active_at_ms: nowMs,
        }))
        .where('file_key', '=', fileKey);
      const room = { bytes, addressHash: addressHash ?? '', networkHash, stored: 0, files: 0 };
      const taking = takeRoom(db, room, limits);
      const reservation = await orRefusal<Refused | typeof IS_DONE>(
        transact([
          // Before `usage`, as everywhere: otherwise two calls could wait for each other.
          { query: unchanged.$if(locksRows(db), (query) => query.forUpdate()).compile(), refusal: IS_DONE },
          ...withAllRoom(db, limits.storedBytes, [...taking, { query: change.compile() }]),
        ]),
      );
      return reservation === IS_DONE || reservation === 'done' ? 'reserved' : reservation;
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
      const { details, records, pageId } = completion;
      const outcome = await orRefusal<'not-found'>(
        transact([
          { query: complete.with(completedColumns(fileKey, completion)), refusal: 'not-found' },
          ...addRecords(db, { ...records, max: Number.MAX_SAFE_INTEGER }, details?.length ?? 0),
        ]),
      );
      if (outcome === 'done') return { outcome: 'completed', pageId };
      const earlier = await db
        .selectFrom('files')
        .select('page_id')
        .where('file_key', '=', fileKey)
        .where('state', '=', LIVE)
        .executeTakeFirst();
      return earlier?.page_id ? { outcome: 'completed', pageId: earlier.page_id } : { outcome };
    },
  };
}

function completedColumns(fileKey: string, completion: Completion) {
  const { salt = null, keyCheck = null, pageSalt = null, accessCheck = null, details = null } = completion;
  const { format, pageId, uploaderHash, createdAtMs, expiresAtMs, unusedBytes } = completion;
  const sealing = { format, salt, keyCheck, pageSalt, accessCheck, details };
  return { ...sealing, fileKey, pageId, uploaderHash, createdAtMs, expiresAtMs, unusedBytes };
}

/** A refusal that is none: another call has done the work. */
const IS_DONE = 'is-done';

function newRow(upload: NewUpload, usagePart: number | null): Insertable<FilesTable> {
  return {
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
    network_hash: upload.network?.addressHash ?? null,
    unsent_bytes: upload.storedSize,
    opened_at_ms: upload.openedAtMs,
    extra_bytes: upload.extraBytes,
    active_at_ms: upload.openedAtMs,
    usage_part: usagePart,
    request_id: upload.requestId ?? null,
  };
}

interface Volume {
  addressHash: string;
  day: string;
  network?: LargerNetwork | undefined;
  bytes: number;
  recordBytes: number;
}

/** What the open uploads of the address will add to the database when they are complete is counted before they are opened. */
function recordsFit(db: Kysely<Tables>, { addressHash, day, recordBytes }: Volume, limits: ReservationLimits): Step {
  const uploads = openUploads(db)
    .where('address_hash', '=', addressHash)
    .select(({ fn }) => fn.countAll<number>().as('count'));
  const counted = db
    .selectFrom('volumes')
    .select('record_bytes')
    .where('day', '=', day)
    .where('address_hash', '=', addressHash);
  const fits = db
    .selectFrom('usage')
    .select('id')
    .where(
      sql<boolean>`${recordBytes} + (${uploads} + 1) * ${limits.recordBytesToCome} + coalesce(${counted}, 0) <= ${limits.dailyRecordBytesOfAddress}`,
    );
  return { query: fits.compile(), refusal: 'daily-limit-reached' };
}

function addToVolume(db: Kysely<Tables>, volume: Volume, maxBytes: number, maxRecordBytes: number): Step[] {
  const { network, ...own } = volume;
  const times = (max: number) => Math.min(max * (network?.factor ?? 1), Number.MAX_SAFE_INTEGER);
  return [
    addToOneVolume(db, own, maxBytes, maxRecordBytes),
    ...(network
      ? [addToOneVolume(db, { ...own, addressHash: network.addressHash }, times(maxBytes), times(maxRecordBytes))]
      : []),
  ];
}

function addToOneVolume(
  db: Kysely<Tables>,
  { addressHash, day, bytes, recordBytes }: Volume,
  maxBytes: number,
  maxRecordBytes: number,
): Step {
  const added = db
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
    .returning('day');
  return { query: added.compile(), refusal: 'daily-limit-reached' };
}

/**
 * Counts bytes that an address adds to the database, unless they are too many. `bytes` are those that were not yet counted
 * when the upload was opened.
 */
export function addRecords(db: Kysely<Tables>, limit: RecordLimit, recordBytes: number, bytes = 0): Step[] {
  const { addressHash, day, network, max } = limit;
  if (recordBytes === 0) return [];
  return addToVolume(db, { addressHash, day, network, bytes, recordBytes }, Number.MAX_SAFE_INTEGER, max);
}
