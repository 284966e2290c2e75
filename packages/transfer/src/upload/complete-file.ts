// Completes a file whose parts are all sent.
import type { ApiBody } from '@furoshiki/api';
import { call, type CallPorts } from '../resilience/call.ts';
import type { RetryPolicy } from '../resilience/retry.ts';
import type { CompletedFile, OpenFileCheckpoint } from './checkpoint.ts';
import type { Sealing } from './sealing.ts';

export async function callComplete(
  ports: CallPorts,
  { fileIndex, salt }: OpenFileCheckpoint,
  body: ApiBody<'completeUpload'>,
  signal: AbortSignal,
  policy?: RetryPolicy,
): Promise<CompletedFile> {
  const { downloadId, pageID: pageId } = await call(ports, 'completeUpload', { body }, signal, policy);
  return { fileIndex, downloadId, pageId, salt };
}

export function completionOf(file: OpenFileCheckpoint, sealing: Sealing): ApiBody<'completeUpload'> {
  const parts = file.etags.map(([index, etag]) => ({ PartNumber: index + 1, ETag: etag }));
  return {
    ...file.uploadRef,
    metadata: sealing.metadataOf(file),
    parts: parts.toSorted((a, b) => a.PartNumber - b.PartNumber),
  };
}
