// Removes from the server what a failed, cancelled or abandoned upload has left there.
import { call, type CallPorts, neverCancelled } from '../resilience/call.ts';
import { runLanes } from '../concurrency/lanes.ts';
import type { Leftovers } from './upload-engine.ts';
import type { OpenUpload } from './upload-file.ts';

const REMOVALS_AT_ONCE = 4;

/** Also for the checkpoint of an earlier tab. Best effort: the server's sweeper removes the rest later. */
export async function cleanUp(ports: CallPorts, { completed, open }: Leftovers): Promise<void> {
  const signal = neverCancelled();
  const removals = [
    ...open.map((upload) => () => removeOpen(ports, upload, signal)),
    ...completed.map((file) => () => deleteFile(ports, file.downloadId, signal)),
  ];
  await runLanes(REMOVALS_AT_ONCE, removals, signal, (remove) => remove().catch(() => {}));
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
