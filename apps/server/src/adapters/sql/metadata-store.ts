// The metadata store over SQL. Each promise that must hold under concurrency is kept by one conditional statement.
import type { Kysely } from 'kysely';
import type { DoomedFile, LiveFile, MetadataStore } from '../../ports/metadata-store.ts';
import { migrateToLatest } from './migrations.ts';
import type { FilesTable, Tables } from './tables.ts';

const DOOMED_COLUMNS = ['id', 'file_key as fileKey', 'upload_id as uploadId'] as const;

export async function createSqlMetadataStore(db: Kysely<Tables>): Promise<MetadataStore> {
  await migrateToLatest(db);

  const liveFiles = (asker: { clientHash: string; nowMs: number }) =>
    db
      .selectFrom('files')
      .where('state', '=', 'live')
      .where('files.expires_at_ms', '>', asker.nowMs)
      .leftJoin('grants', (join) =>
        join
          .onRef('grants.file_id', '=', 'files.id')
          .on('grants.client_hash', '=', asker.clientHash)
          .on('grants.expires_at_ms', '>', asker.nowMs),
      )
      .selectAll('files')
      .select('grants.file_id as grantedFileId');

  async function findFile(id: string, asker: { clientHash: string; nowMs: number }) {
    const row = await liveFiles(asker).where('files.id', '=', id).executeTakeFirst();
    return row && toLiveFile(row);
  }

  async function doomIfUsedUp(id: string, nowMs: number): Promise<DoomedFile | undefined> {
    return db
      .updateTable('files')
      .set({ state: 'doomed' })
      .where('id', '=', id)
      .where('state', '=', 'live')
      .whereRef('current_downloads', '>=', 'max_downloads')
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('grants')
              .select('file_id')
              .whereRef('grants.file_id', '=', 'files.id')
              .where('grants.expires_at_ms', '>', nowMs),
          ),
        ),
      )
      .returning(DOOMED_COLUMNS)
      .executeTakeFirst();
  }

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
      return row && { ...described(row), uploadId, pageId: row.page_id ?? undefined };
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

    async groupFiles(fileIds, pageId, maxTotalBytes, nowMs) {
      return db.transaction().execute(async (trx) => {
        const files = await trx
          .selectFrom('files')
          .select(['id', 'file_size', 'page_id', 'is_grouped'])
          .where('id', 'in', fileIds)
          .where('state', '=', 'live')
          .where('expires_at_ms', '>', nowMs)
          .execute();
        if (files.length !== fileIds.length) return { outcome: 'not-found' };
        if (files.reduce((sum, file) => sum + file.file_size, 0) > maxTotalBytes) return { outcome: 'too-large' };
        const standing = files[0]?.page_id;
        if (standing && files.every((file) => file.is_grouped === 1 && file.page_id === standing)) {
          const { count } = await trx
            .selectFrom('files')
            .select(({ fn }) => fn.countAll<number>().as('count'))
            .where('page_id', '=', standing)
            .executeTakeFirstOrThrow();
          if (count === fileIds.length) return { outcome: 'grouped', pageId: standing };
        }
        if (files.some((file) => file.is_grouped === 1)) return { outcome: 'already-grouped' };
        for (const [position, id] of fileIds.entries()) {
          await trx
            .updateTable('files')
            .set({ page_id: pageId, position, is_grouped: 1 })
            .where('id', '=', id)
            .where('is_grouped', '=', 0)
            .returning('id')
            // Another call that grouped it in between undoes this one as a whole.
            .executeTakeFirstOrThrow();
        }
        return { outcome: 'grouped', pageId };
      });
    },

    async listPage(pageId, asker) {
      const rows = await liveFiles(asker).where('page_id', '=', pageId).orderBy('position').execute();
      return rows.map(toLiveFile);
    },

    findFile,

    async takeGrant(id, asker, grantExpiresAtMs) {
      const { clientHash, nowMs } = asker;
      await db.transaction().execute(async (trx) => {
        const taken = await trx
          .updateTable('files')
          .set((eb) => ({ current_downloads: eb('current_downloads', '+', 1) }))
          .where('id', '=', id)
          .where('state', '=', 'live')
          .where('expires_at_ms', '>', nowMs)
          .whereRef('current_downloads', '<', 'max_downloads')
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('grants')
                  .select('file_id')
                  .whereRef('grants.file_id', '=', 'files.id')
                  .where('client_hash', '=', clientHash)
                  .where('grants.expires_at_ms', '>', nowMs),
              ),
            ),
          )
          .returning('expires_at_ms')
          .executeTakeFirst();
        if (!taken) return;
        const expires_at_ms = Math.min(grantExpiresAtMs, taken.expires_at_ms);
        await trx
          .insertInto('grants')
          .values({ file_id: id, client_hash: clientHash, expires_at_ms })
          .onConflict((conflict) => conflict.columns(['file_id', 'client_hash']).doUpdateSet({ expires_at_ms }))
          .execute();
      });
      const file = await findFile(id, asker);
      if (!file) return { outcome: 'not-found' };
      return file.granted ? { outcome: 'granted', file } : { outcome: 'limit-reached' };
    },

    async endGrant(id, { clientHash }) {
      await db.deleteFrom('grants').where('file_id', '=', id).where('client_hash', '=', clientHash).execute();
    },

    async doomFile(id, nowMs) {
      return db
        .updateTable('files')
        .set({ state: 'doomed' })
        .where('id', '=', id)
        .where('state', '=', 'live')
        .where('expires_at_ms', '>', nowMs)
        .returning(DOOMED_COLUMNS)
        .executeTakeFirst();
    },

    doomIfUsedUp,

    async doomUpload(fileKey, uploadId) {
      return db
        .updateTable('files')
        .set({ state: 'doomed' })
        .where('file_key', '=', fileKey)
        .where('upload_id', '=', uploadId)
        .where('state', '=', 'uploading')
        .returning(DOOMED_COLUMNS)
        .executeTakeFirst();
    },

    async doomOverdue(nowMs, limit) {
      const overdue = await db
        .updateTable('files')
        .set({ state: 'doomed' })
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('files')
            .select('id')
            .where('state', 'in', ['uploading', 'live'])
            .where('expires_at_ms', '<=', nowMs)
            .limit(limit),
        )
        .returning('id')
        .execute();
      const runOut = await db
        .selectFrom('grants')
        .select(['file_id', 'client_hash'])
        .where('expires_at_ms', '<=', nowMs)
        .limit(limit)
        .execute();
      let usedUp = 0;
      for (const { file_id, client_hash } of runOut) {
        await db
          .deleteFrom('grants')
          .where('file_id', '=', file_id)
          .where('client_hash', '=', client_hash)
          .where('expires_at_ms', '<=', nowMs)
          .execute();
        if (await doomIfUsedUp(file_id, nowMs)) usedUp += 1;
      }
      return overdue.length + usedUp;
    },

    async listDoomed(limit) {
      return db.selectFrom('files').select(DOOMED_COLUMNS).where('state', '=', 'doomed').limit(limit).execute();
    },

    async forget(id) {
      await db.deleteFrom('files').where('id', '=', id).where('state', '=', 'doomed').execute();
    },

    close: () => db.destroy(),
  };
}

function described(row: FilesTable) {
  return {
    id: row.id,
    fileKey: row.file_key,
    fileName: row.file_name,
    fileSize: row.file_size,
    contentType: row.content_type,
    chunkSize: row.chunk_size,
    isEncrypted: row.is_encrypted === 1,
    maxDownloads: row.max_downloads,
    retentionDays: row.retention_days,
  };
}

function toLiveFile(row: FilesTable & { grantedFileId: string | null }): LiveFile {
  return {
    ...described(row),
    salt: row.salt ?? undefined,
    keyCheck: row.key_check ?? undefined,
    currentDownloads: row.current_downloads,
    createdAtMs: row.created_at_ms ?? 0,
    expiresAtMs: row.expires_at_ms,
    granted: row.grantedFileId !== null,
  };
}
