// Uploads in SQL.
import { type Kysely, sql } from 'kysely';
import type { UploadRecords } from '../../../ports/metadata-store.ts';
import { prepared } from '../prepared.ts';
import { locksRows } from '../row-locks.ts';
import { DOOMED, LIVE, UPLOADING, describedFile } from './rows.ts';
import type { FilesTable, Tables } from '../tables.ts';

export function uploadRecords(db: Kysely<Tables>): UploadRecords {
  const oneUpload = prepared<{ fileKey: string; uploadId: string; nowMs: number }, FilesTable>((value) =>
    db
      .selectFrom('files')
      .selectAll()
      .where('file_key', '=', value('fileKey'))
      .where('upload_id', '=', value('uploadId'))
      .where('state', '!=', DOOMED)
      .where('expires_at_ms', '>', value('nowMs')),
  );
  const postpone = prepared<{ fileKey: string; expiresAtMs: number }, unknown>((value) =>
    db
      .updateTable('files')
      .set({ expires_at_ms: value('expiresAtMs') })
      .where('file_key', '=', value('fileKey'))
      .where('state', '=', UPLOADING),
  );

  return {
    insertUpload: (upload, maxStoredBytes) =>
      db.transaction().execute(async (trx) => {
        const reserved = await trx
          .updateTable('usage')
          .set((eb) => ({ stored_bytes: eb('stored_bytes', '+', upload.storedSize), files: eb('files', '+', 1) }))
          .where('stored_bytes', '<=', maxStoredBytes - upload.storedSize)
          .returning('id')
          .executeTakeFirst();
        if (!reserved) return false;
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
          })
          .execute();
        return true;
      }),

    async uploadingBytes() {
      const { bytes } = await db
        .selectFrom('files')
        .select(({ fn }) => fn.coalesce(fn.sum<number>('stored_size'), sql<number>`0`).as('bytes'))
        .where('state', '=', UPLOADING)
        .executeTakeFirstOrThrow();
      return bytes;
    },

    async spendVolume(addressHash, day, bytes, maxBytes) {
      if (bytes > maxBytes) return false;
      const spent = await db
        .insertInto('volumes')
        .values({ address_hash: addressHash, day, bytes })
        .onConflict((conflict) =>
          conflict
            .columns(['day', 'address_hash'])
            .doUpdateSet((eb) => ({ bytes: eb('volumes.bytes', '+', bytes) }))
            .where('volumes.bytes', '<=', maxBytes - bytes),
        )
        .returning('day')
        .executeTakeFirst();
      return spent !== undefined;
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
      return row && { ...describedFile(row), uploadId, pageId: row.page_id ?? undefined };
    },

    async touchUpload(fileKey, expiresAtMs) {
      await postpone(db, { fileKey, expiresAtMs });
    },

    async completeUpload(fileKey, completion) {
      await db
        .updateTable('files')
        .set({
          state: 'live',
          salt: completion.salt ?? null,
          key_check: completion.keyCheck ?? null,
          created_at_ms: completion.createdAtMs,
          expires_at_ms: completion.expiresAtMs,
          page_id: completion.pageId,
        })
        .where('file_key', '=', fileKey)
        .where('state', '=', UPLOADING)
        .execute();
      const row = await db
        .selectFrom('files')
        .select('page_id')
        .where('file_key', '=', fileKey)
        .where('state', '=', LIVE)
        .executeTakeFirst();
      return row?.page_id ?? undefined;
    },
  };
}
