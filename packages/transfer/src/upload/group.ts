// Puts the files of an upload on one page, or keeps each on the page that its completion created.
import { asFailure } from '@furoshiki/api';
import { call, type CallPorts } from '../resilience/call.ts';
import { assertNotCancelled } from '../resilience/cancellation.ts';
import { retryCompletion } from '../resilience/retry.ts';
import type { CompletedFile } from './checkpoint.ts';
import type { FileFacts, UploadResult } from './machine.ts';

/** Also called for one file: grouping closes the page, and stores its list. */
export async function group(
  ports: CallPorts,
  completed: readonly CompletedFile[],
  files: readonly FileFacts[],
  list: string | undefined,
  signal: AbortSignal,
): Promise<UploadResult> {
  const fileIds = completed.map((file) => file.downloadId);
  const body = { fileIDs: fileIds, list };
  try {
    const { pageID: pageId } = await call(ports, 'groupFiles', { body }, signal, retryCompletion);
    return { pageId, fileIds };
  } catch (thrown) {
    assertNotCancelled(signal);
    // A file that is gone has no page that could be shared.
    if (asFailure(thrown).code === 'NOT_FOUND') throw thrown;
    const separatePages = completed.map(({ fileIndex, pageId }) => ({
      fileName: files[fileIndex]?.name ?? '',
      pageId,
    }));
    const pageId = separatePages[0]?.pageId ?? '';
    if (await isGrouped(ports, pageId, fileIds.length, signal)) return { pageId, fileIds };
    return { pageId, fileIds, separatePages };
  }
}

/** Only the response may have been lost: the server groups files on the page of the first one. */
async function isGrouped(ports: CallPorts, pageId: string, fileCount: number, signal: AbortSignal): Promise<boolean> {
  if (fileCount === 1) return true;
  try {
    const { files } = await call(ports, 'page', { params: { pageID: pageId } }, signal);
    return files.length === fileCount;
  } catch {
    assertNotCancelled(signal);
    return false;
  }
}
