// What a run has left on the server so far, and how it is taken away again.
import { call, type CallPorts, neverCancelled } from '../call.ts';
import { runLanes } from '../lanes.ts';
import type { Api } from '../ports.ts';
import type { CompletedFile, UploadNote } from './journal.ts';
import type { OpenUpload } from './upload-file.ts';

const REMOVALS_AT_ONCE = 4;

export interface Traces {
  completed: CompletedFile[];
  open: OpenUpload | undefined;
}

/** Best effort. What cannot be removed now, the server's sweeper removes later. */
export async function removeTraces(ports: CallPorts, { completed, open }: Traces): Promise<void> {
  const signal = neverCancelled();
  const removals = completed.map((file) => () => deleteFile(ports, file.downloadId, signal));
  if (open) removals.unshift(() => removeOpen(ports, open, signal));
  await runLanes(REMOVALS_AT_ONCE, removals, signal, (remove) => remove().catch(() => {}));
}

/** The same for an upload whose page is gone. */
export function abandonUpload(ports: CallPorts, { completed, open }: UploadNote): Promise<void> {
  return removeTraces(ports, { completed: [...completed], open });
}

/** The same while the page is being closed: nothing can be waited for, so nothing is asked first. */
export function removeTracesLast(api: Api, { completed, open }: Traces): void {
  if (open) api.callLast('cancelUpload', { body: open.name });
  for (const { downloadId } of completed) api.callLast('deleteFile', { params: { id: downloadId } });
}

async function removeOpen(ports: CallPorts, { name, completion }: OpenUpload, signal: AbortSignal): Promise<void> {
  try {
    // An answer that got lost may have completed the file. Asking again is harmless, and names what to delete.
    const completed = completion && (await call(ports, 'completeUpload', { body: completion }, signal));
    if (completed) return await deleteFile(ports, completed.downloadId, signal);
  } catch {
    // Not complete, then: it is still there to be cancelled.
  }
  await call(ports, 'cancelUpload', { body: name }, signal);
}

async function deleteFile(ports: CallPorts, id: string, signal: AbortSignal): Promise<void> {
  await call(ports, 'deleteFile', { params: { id } }, signal);
}
