// Completes a file whose parts are all sent.
import type { ApiBody } from '@furoshiki/core';
import { call, type CallPorts } from '../resilience/call.ts';
import type { RetryPolicy } from '../resilience/retry.ts';
import type { CompletedFile, OpenFileCheckpoint } from './checkpoint.ts';

export async function callComplete(
  ports: CallPorts,
  fileIndex: number,
  body: ApiBody<'completeUpload'>,
  signal: AbortSignal,
  policy?: RetryPolicy,
): Promise<CompletedFile> {
  const { downloadId, pageID: pageId } = await call(ports, 'completeUpload', { body }, signal, policy);
  return { fileIndex, downloadId, pageId };
}

export function completionOf({
  uploadRef,
  chunkSize,
  salt,
  keyCheck,
  etags,
}: OpenFileCheckpoint): ApiBody<'completeUpload'> {
  const parts = etags.map(([index, etag]) => ({ PartNumber: index + 1, ETag: etag }));
  return {
    ...uploadRef,
    metadata: { chunkSize, salt, keyCheck },
    parts: parts.toSorted((a, b) => a.PartNumber - b.PartNumber),
  };
}
