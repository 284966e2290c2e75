// Lists the files of a page, and tells about a single one.
import { type ApiResponse, Failure, type PageFile } from '@furoshiki/core';
import type { LiveFile } from '../../ports/metadata-store.ts';
import type { Caller, Context } from '../context.ts';

export async function showPage(context: Context, pageId: string, { clientHash }: Caller): Promise<ApiResponse<'page'>> {
  const files = await context.metadata.listPage(pageId, { clientHash, nowMs: context.clock.nowMs() });
  if (files.length === 0) throw new Failure('NOT_FOUND');
  return { files: files.map(toPageFile) };
}

/** Throws NOT_FOUND for a file that is missing, gone, or at its limit with no grant of the asker's. */
export async function showFile(context: Context, id: string, { clientHash }: Caller): Promise<PageFile> {
  const file = await context.metadata.findFile(id, { clientHash, nowMs: context.clock.nowMs() });
  if (!file || (file.currentDownloads >= file.maxDownloads && !file.granted)) throw new Failure('NOT_FOUND');
  return toPageFile(file);
}

function toPageFile(file: LiveFile): PageFile {
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
    salt: file.salt,
    keyCheck: file.keyCheck,
    granted: file.granted,
  };
}
