// Converts rows to the types of the port, and holds conditions that several queries share.
import { type Expression, type ExpressionBuilder, type Kysely, type Selectable, sql } from 'kysely';
import type { LiveFile } from '../../../ports/metadata-store.ts';
import type { FilesTable, Tables } from '../tables.ts';

export const DOOMED_COLUMNS = ['id', 'file_key as fileKey', 'upload_id as uploadId', 'page_id as pageId'] as const;

// Literals, not bound values: only then can the planner use a partial index for these rows. With a bound value, SQLite
// would plan the statement again for every call.
export const DOOMED = sql.lit<FilesTable['state']>('doomed');
export const LIVE = sql.lit<FilesTable['state']>('live');
export const UPLOADING = sql.lit<FilesTable['state']>('uploading');

/** True for a file without a live grant: of any client, or of this client. */
export function noLiveGrant(
  { not, exists, selectFrom }: ExpressionBuilder<Tables, 'files'>,
  nowMs: number | Expression<number>,
  clientHash?: Expression<string>,
) {
  const live = selectFrom('grants')
    .select('file_id')
    .whereRef('grants.file_id', '=', 'files.id')
    .where('grants.expires_at_ms', '>', nowMs);
  return not(exists(clientHash === undefined ? live : live.where('client_hash', '=', clientHash)));
}

const LIVE_FILE_COLUMNS = [
  'id',
  'file_key',
  'file_name',
  'file_size',
  'content_type',
  'chunk_size',
  'is_encrypted',
  'salt',
  'key_check',
  'format',
  'page_salt',
  'access_check',
  'details',
  'max_downloads',
  'current_downloads',
  'retention_days',
  'request_id',
  'created_at_ms',
  'files.expires_at_ms',
] as const;

/** Selects live files, each with whether the client holds a live grant on it. */
export function selectLiveFiles(db: Kysely<Tables>, clientHash: Expression<string>, nowMs: Expression<number>) {
  return db
    .selectFrom('files')
    .where('state', '=', LIVE)
    .where('files.expires_at_ms', '>', nowMs)
    .leftJoin('grants', (join) =>
      join
        .onRef('grants.file_id', '=', 'files.id')
        .on('grants.client_hash', '=', clientHash)
        .on('grants.expires_at_ms', '>', nowMs),
    )
    .select(LIVE_FILE_COLUMNS)
    .select('grants.file_id as grantedFileId');
}

/** The fields that an upload and a live file have in common. */
export function describedFile(row: Omit<LiveFileRow, 'grantedFileId'>) {
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
    requestId: row.request_id ?? undefined,
  };
}

export type LiveFileRow = Pick<
  Selectable<FilesTable>,
  Exclude<(typeof LIVE_FILE_COLUMNS)[number], 'files.expires_at_ms'> | 'expires_at_ms'
> & { grantedFileId: string | null };

export function liveFile(row: LiveFileRow): LiveFile {
  return {
    ...describedFile(row),
    salt: row.salt ?? undefined,
    keyCheck: row.key_check ?? undefined,
    format: row.format,
    pageSalt: row.page_salt ?? undefined,
    accessCheck: row.access_check ?? undefined,
    details: row.details ?? undefined,
    currentDownloads: row.current_downloads,
    createdAtMs: row.created_at_ms ?? 0,
    expiresAtMs: row.expires_at_ms,
    granted: row.grantedFileId !== null,
  };
}
