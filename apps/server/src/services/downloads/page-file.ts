// A live file as the API describes it.
import type { PageFile } from '@furoshiki/api';
import type { LiveFile } from '../../ports/metadata-store.ts';

export function pageFile(file: LiveFile): PageFile {
  return {
    id: file.id,
    fileName: file.fileName,
    fileSize: file.fileSize,
    isEncrypted: file.isEncrypted,
    maxDownloads: file.maxDownloads,
    currentDownloads: file.currentDownloads,
    createdAt: Math.floor(file.createdAtMs / 1000),
    expiresAt: Math.floor(file.expiresAtMs / 1000),
    retentionPeriod: file.retentionDays,
    chunkSize: file.chunkSize,
    format: file.format,
    salt: file.salt,
    keyCheck: file.keyCheck,
    pageSalt: file.pageSalt,
    details: file.details,
    granted: file.granted,
  };
}
