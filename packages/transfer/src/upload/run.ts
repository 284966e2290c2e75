// Runs an upload: sends the files in order, then groups them on one page. A failed or cancelled upload is removed from the
// server. Files that cannot be grouped stay there, each on its own page.
import { checkNote, MB } from '@furoshiki/format';
import { asFailure } from '@furoshiki/api';
import { createConcurrencyLimiter } from '../concurrency/adaptive-concurrency.ts';
import { createMutex, runLanes } from '../concurrency/lanes.ts';
import type { RunContext } from '../engine.ts';
import type { LocalFile } from '../ports.ts';
import { assertNotCancelled, failureUnder, whenAborted } from '../resilience/cancellation.ts';
import type { CompletedFile } from './resume/journal.ts';
import { createSealing, type Sealing } from './sealing.ts';
import { sizeToSend } from './files-to-send.ts';
import type { FileFacts, UploadAction, UploadResult } from './machine.ts';
import {
  createUploadEngine,
  type FilesOnServer,
  type Leftovers,
  type RunUpload,
  type UploadEngine,
  type UploadRequest,
} from './upload-engine.ts';
import { type OpenUpload, uploadFile, type UploadPorts, type UploadSettings } from './upload-file.ts';
import { call, type CallPorts, neverCancelled, retryCompletion } from '../resilience/retry.ts';

/** Small files take longer to open and complete than to send, so several are in progress at once. */
const FILES_AT_ONCE = 16;
/** Files are opened ahead only for so many bytes: the server drops an upload that waits too long for its first part. */
const MAX_UNSENT_BYTES = 16 * MB;

/** An engine with all of its code. */
export function createUpload<Source>(ports: UploadPorts<Source>, settings: UploadSettings): UploadEngine<Source> {
  return createUploadEngine(ports, createUploadRun(ports, settings));
}

export function createUploadRun<Source>(ports: UploadPorts<Source>, settings: UploadSettings): RunUpload<Source> {
  return (request, onServer, context) => run(ports, request, onServer, { ...settings, ...context });
}

async function run<Source>(
  ports: UploadPorts<Source>,
  { files, key, note = {}, hidesNames = false, resumeRecord, ...rest }: UploadRequest<Source>,
  onServer: FilesOnServer,
  context: RunContext<UploadAction> & UploadSettings,
): Promise<void> {
  const { dispatch, signal } = context;
  const { completed, open, checkpoints } = onServer;
  const { network, signIn } = ports;
  const subscriptions = [
    network.subscribe(() => dispatch({ type: 'networkChanged', isWaitingForNetwork: network.isUnreachable() })),
    signIn?.subscribe(() => dispatch({ type: 'signInChanged', signIn: signIn.state() })),
  ];
  const limiter = createConcurrencyLimiter(ports);
  const unsent = createUnsentFiles();
  let failedIndex: number | undefined;

  async function upload(
    fileIndex: number,
    file: LocalFile<Source>,
    sealing: Sealing,
    laneSignal: AbortSignal,
  ): Promise<void> {
    const onSent = await unsent.begin(sizeToSend(file.size, hidesNames), laneSignal);
    const job = {
      fileIndex,
      fileCount: files.length,
      file,
      sealing,
      hidesNames,
      ...rest,
      resume: checkpoints.get(fileIndex),
    };
    try {
      const sent = await uploadFile(ports, job, {
        lanesFor: context.lanesFor,
        limiter,
        signal: laneSignal,
        dispatch: (change) => dispatch({ type: 'fileChanged', fileIndex, change }),
        onOpen: (opened) => void open.set(fileIndex, opened),
        onCheckpoint(checkpoint) {
          checkpoints.set(fileIndex, checkpoint);
          resumeRecord?.write(onServer.checkpoint());
        },
        onSent,
      });
      completed.set(fileIndex, sent);
      open.delete(fileIndex);
      checkpoints.delete(fileIndex);
      resumeRecord?.write(onServer.checkpoint());
      dispatch({ type: 'fileChanged', fileIndex, change: { type: 'fileDone' } });
    } catch (thrown) {
      // The other files fail after this one, because it ends the upload.
      failedIndex ??= fileIndex;
      throw thrown;
    } finally {
      onSent();
    }
  }

  try {
    checkNote(note);
    const sealing = await createSealing(ports.crypto, key, onServer.pageSalt);
    onServer.pageSalt = sealing.pageSalt;
    const remaining = [...files.entries()].filter(([fileIndex]) => !completed.has(fileIndex));
    await runLanes(FILES_AT_ONCE, remaining, signal, ([fileIndex, file], laneSignal) =>
      upload(fileIndex, file, sealing, laneSignal),
    );
    failedIndex = undefined;
    const sent = inOrder(completed);
    const list = await sealing.sealList(
      sent.map(({ salt = '' }) => salt),
      note,
    );
    const result = await group(ports, sent, files, { list, hasNote: Boolean(note.title || note.message) }, signal);
    assertNotCancelled(signal);
    // The files now belong to their page, so nothing is left to clean up.
    completed.clear();
    resumeRecord?.remove();
    dispatch({ type: 'finish', ...result });
  } catch (thrown) {
    if (signal.reason === 'keep') return dispatch({ type: 'cancelled' });
    resumeRecord?.remove();
    dispatch({ type: 'fail', failure: failureUnder(signal, thrown), fileIndex: failedIndex });
    await cleanUp(ports, onServer.leftovers());
    // Ends the state `cancelling`. After a failure the state is `failed`, and the machine ignores this action.
    dispatch({ type: 'cancelled' });
  } finally {
    for (const unsubscribe of subscriptions) unsubscribe?.();
  }
}

/** Lets a file begin only when few bytes of earlier files remain to be sent. */
function createUnsentFiles() {
  const runExclusive = createMutex();
  let unsentBytes = 0;
  let onChange = (): void => {};
  /** One for all files: a signal with a thousand listeners is slow. */
  let aborted: Promise<void> | undefined;
  const mustWait = (bytes: number) => unsentBytes > 0 && unsentBytes + bytes > MAX_UNSENT_BYTES;

  return {
    /** Resolves when a file of this size may begin, in the order of the calls. Call what it returns when the file is sent. */
    begin: (bytes: number, signal: AbortSignal) =>
      runExclusive(async () => {
        while (mustWait(bytes)) {
          assertNotCancelled(signal);
          aborted ??= whenAborted(signal);
          await Promise.race([new Promise<void>((resolve) => void (onChange = resolve)), aborted]);
        }
        unsentBytes += bytes;
        let isSent = false;
        return () => {
          if (isSent) return;
          isSent = true;
          unsentBytes -= bytes;
          onChange();
        };
      }),
  };
}

function inOrder(completed: ReadonlyMap<number, CompletedFile>): CompletedFile[] {
  return [...completed.values()].toSorted((a, b) => a.fileIndex - b.fileIndex);
}

/**
 * Puts the files of an upload on one page, or keeps each on the page that its completion created. Also called for one file:
 * grouping closes the page, and stores its list.
 */
async function group(
  ports: CallPorts,
  completed: readonly CompletedFile[],
  files: readonly FileFacts[],
  { list, hasNote }: { list: string | undefined; hasNote: boolean },
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
    const isAlone = fileIds.length === 1;
    if (isAlone && !hasNote) return { pageId, fileIds };
    if (await isGrouped(ports, pageId, fileIds.length, signal)) return { pageId, fileIds };
    // Without its list, the page has no title and no message, and the sender would get no error.
    if (isAlone) throw thrown;
    return { pageId, fileIds, separatePages };
  }
}

/** Only the response may have been lost: the server groups files on the page of the first one. */
async function isGrouped(ports: CallPorts, pageId: string, fileCount: number, signal: AbortSignal): Promise<boolean> {
  try {
    const { files, list } = await call(ports, 'page', { params: { pageID: pageId } }, signal);
    return files.length === fileCount && list !== undefined;
  } catch {
    assertNotCancelled(signal);
    return false;
  }
}

const REMOVALS_AT_ONCE = 4;

/**
 * Removes from the server what a failed, cancelled or abandoned upload has left there, also for the checkpoint of an earlier
 * tab. Best effort: the server's sweeper removes the rest later.
 */
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
