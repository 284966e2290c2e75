// Removes from the server what a failed, cancelled or abandoned upload has left there.
import { call, type CallPorts, neverCancelled } from '../resilience/call.ts';
import { runLanes } from '../concurrency/lanes.ts';
import type { Api } from '../ports.ts';
import type { CompletedFile, UploadCheckpoint } from './checkpoint.ts';
import type { OpenUpload } from './upload-file.ts';

const REMOVALS_AT_ONCE = 4;

export interface Leftovers {
  completed: CompletedFile[];
  open: OpenUpload | undefined;
}

/** Best effort: the server's sweeper removes the rest later. */
export async function cleanUp(ports: CallPorts, { completed, open }: Leftovers): Promise<void> {
  const signal = neverCancelled();
  const removals = completed.map((file) => () => deleteFile(ports, file.downloadId, signal));
  if (open) removals.unshift(() => removeOpen(ports, open, signal));
  await runLanes(REMOVALS_AT_ONCE, removals, signal, (remove) => remove().catch(() => {}));
}

/** The same for an upload of an earlier tab. */
export function abandonUpload(ports: CallPorts, { completed, open }: UploadCheckpoint): Promise<void> {
  return cleanUp(ports, { completed: [...completed], open });
}

/** The same while the tab is being closed. Responses are lost, so it sends only the final calls. */
export function cleanUpOnUnload(api: Api, { completed, open }: Leftovers): void {
  if (open) api.callOnUnload('cancelUpload', { body: open.uploadRef });
  for (const { downloadId } of completed) api.callOnUnload('deleteFile', { params: { id: downloadId } });
}

async function removeOpen(ports: CallPorts, { uploadRef, completion }: OpenUpload, signal: AbortSignal): Promise<void> {
  try {
    // The file may be complete although the response got lost. Completing is idempotent and returns the id to delete.
    const completed = completion && (await call(ports, 'completeUpload', { body: completion }, signal));
    if (completed) return await deleteFile(ports, completed.downloadId, signal);
  } catch {
    // The file is not complete, so cancel its upload.
  }
  await call(ports, 'cancelUpload', { body: uploadRef }, signal);
}

async function deleteFile(ports: CallPorts, id: string, signal: AbortSignal): Promise<void> {
  await call(ports, 'deleteFile', { params: { id } }, signal);
}
