// What a run has left on the server so far, and how it is taken away again.
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

/** Best effort. What cannot be removed now, the server's sweeper removes later. */
export async function cleanUp(ports: CallPorts, { completed, open }: Leftovers): Promise<void> {
  const signal = neverCancelled();
  const removals = completed.map((file) => () => deleteFile(ports, file.downloadId, signal));
  if (open) removals.unshift(() => removeOpen(ports, open, signal));
  await runLanes(REMOVALS_AT_ONCE, removals, signal, (remove) => remove().catch(() => {}));
}

/** The same for an upload whose page is gone. */
export function abandonUpload(ports: CallPorts, { completed, open }: UploadCheckpoint): Promise<void> {
  return cleanUp(ports, { completed: [...completed], open });
}

/** The same while the page is being closed: nothing can be waited for, so nothing is asked first. */
export function cleanUpOnUnload(api: Api, { completed, open }: Leftovers): void {
  if (open) api.callOnUnload('cancelUpload', { body: open.uploadRef });
  for (const { downloadId } of completed) api.callOnUnload('deleteFile', { params: { id: downloadId } });
}

async function removeOpen(ports: CallPorts, { uploadRef, completion }: OpenUpload, signal: AbortSignal): Promise<void> {
  try {
    // An answer that got lost may have completed the file. Asking again is harmless, and names what to delete.
    const completed = completion && (await call(ports, 'completeUpload', { body: completion }, signal));
    if (completed) return await deleteFile(ports, completed.downloadId, signal);
  } catch {
    // Not complete, then: it is still there to be cancelled.
  }
  await call(ports, 'cancelUpload', { body: uploadRef }, signal);
}

async function deleteFile(ports: CallPorts, id: string, signal: AbortSignal): Promise<void> {
  await call(ports, 'deleteFile', { params: { id } }, signal);
}
