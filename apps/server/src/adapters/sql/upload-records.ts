// Uploads in SQL.
import type { Kysely } from 'kysely';
import type { UploadRecords } from '../../ports/metadata-store.ts';
import { describedFile } from './rows.ts';
import type { Tables } from './tables.ts';

export function uploadRecords(db: Kysely<Tables>): UploadRecords {
  return {
    async insertUpload(upload) {
      await db
        .insertInto('files')
        .values({
          id: upload.id,
          file_key: upload.fileKey,
          upload_id: upload.uploadId,
          state: 'uploading',
          file_name: upload.fileName,
          file_size: upload.fileSize,
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
    },

    async findUpload(fileKey, uploadId) {
      const row = await db
        .selectFrom('files')
        .selectAll()
        .where('file_key', '=', fileKey)
        .where('upload_id', '=', uploadId)
        .where('state', '!=', 'doomed')
        .executeTakeFirst();
      return row && { ...describedFile(row), uploadId, pageId: row.page_id ?? undefined };
    },

    async touchUpload(fileKey, expiresAtMs) {
      await db
        .updateTable('files')
        .set({ expires_at_ms: expiresAtMs })
        .where('file_key', '=', fileKey)
        .where('state', '=', 'uploading')
        .execute();
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
        .where('state', '=', 'uploading')
        .execute();
      const row = await db
        .selectFrom('files')
        .select('page_id')
        .where('file_key', '=', fileKey)
        .where('state', '=', 'live')
        .executeTakeFirst();
      return row?.page_id ?? undefined;
    },
  };
}
