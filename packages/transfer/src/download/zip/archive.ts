// The driver of "all files as one ZIP": one grant for each file, its chunks straight into the archive, which is then handed over.
import { type CipherKey, distinctPaths, type Failure, type PageFile, safePath } from '@furoshiki/core';
import { assertNotCancelled, failureUnder } from '../../resilience/cancellation.ts';
import type { Destination, FileSink } from '../../ports.ts';
import { retryCall, withRetries } from '../../resilience/retry.ts';
import { createStore } from '../../store.ts';
import { combineCrc32 } from './crc32.ts';
import { planFetch } from '../file/fetch-plan.ts';
import { receiveFile } from '../file/receive-file.ts';
import type { DownloadPorts } from '../file/run.ts';
import {
  centralDirectory,
  dataDescriptor,
  localHeader,
  type WrittenEntry,
  type ZipEntry,
  zipSize,
} from './zip-format.ts';

export type ArchiveState =
  | { phase: 'idle' | 'complete' | 'cancelled' }
  | { phase: 'running' | 'finishing'; progress: ArchiveProgress }
  | { phase: 'failed'; failure: Failure };

export interface ArchiveProgress {
  /** Of the file that is being fetched. */
  fileName: string;
  /** Counted from 1. */
  currentFile: number;
  totalFiles: number;
  loadedBytes: number;
  totalBytes: number;
}

type ArchiveAction =
  | { type: 'progress'; progress: ArchiveProgress }
  | { type: 'finish' }
  | { type: 'complete' }
  | { type: 'cancel' }
  | { type: 'fail'; failure: Failure };

export interface ArchiveRequest {
  files: readonly PageFile[];
  key: CipherKey | undefined;
  destination: Destination;
}

export interface ArchiveEngine {
  getState(): ArchiveState;
  subscribe(listener: () => void): () => void;
  /** Resolves when it has ended: the state tells how. */
  start(request: ArchiveRequest): Promise<void>;
  /** Without effect once the archive is being handed over. */
  cancel(): Promise<void>;
}

export function archiveEntries(files: readonly PageFile[]): ZipEntry[] {
  const paths = distinctPaths(files.map(({ fileName }) => safePath(fileName)));
  return files.map(({ fileSize, createdAt }, index) => ({
    path: paths[index] ?? '_',
    size: fileSize,
    modifiedAtSeconds: createdAt,
  }));
}

/** Known before the first byte, so that a browser can tell a whole archive from a cut one. */
export function archiveSize(files: readonly PageFile[]): number {
  return zipSize(archiveEntries(files));
}

function reduceArchive(state: ArchiveState, action: ArchiveAction): ArchiveState {
  switch (action.type) {
    case 'progress':
      return state.phase === 'finishing' ? state : { phase: 'running', progress: action.progress };
    case 'finish':
      return state.phase === 'running' ? { ...state, phase: 'finishing' } : state;
    case 'complete':
      return state.phase === 'finishing' ? { phase: 'complete' } : state;
    case 'cancel':
      return state.phase === 'running' ? { phase: 'cancelled' } : state;
    case 'fail':
      return isArchiveRunning(state) ? { phase: 'failed', failure: action.failure } : state;
    default:
      return action satisfies never;
  }
}

export function isArchiveRunning({ phase }: ArchiveState): boolean {
  return phase === 'running' || phase === 'finishing';
}

export function createArchive(ports: DownloadPorts, settings: { lanes: number }): ArchiveEngine {
  const store = createStore<ArchiveState, ArchiveAction>(reduceArchive, { phase: 'idle' });
  let cancelRun = async (): Promise<void> => {};
  return {
    getState: store.getState,
    subscribe: store.subscribe,
    start(request) {
      const dispatch = store.beginRun();
      const abort = new AbortController();
      const ended = Promise.resolve().then(() => run(ports, request, { ...settings, dispatch, signal: abort.signal }));
      cancelRun = () => {
        dispatch({ type: 'cancel' });
        if (store.getState().phase === 'cancelled') abort.abort();
        return ended;
      };
      const [first] = request.files;
      const totalBytes = request.files.reduce((total, file) => total + file.fileSize, 0);
      const counts = { currentFile: 1, totalFiles: request.files.length, loadedBytes: 0, totalBytes };
      dispatch({ type: 'progress', progress: { fileName: first?.fileName ?? '', ...counts } });
      return ended;
    },
    cancel: () => cancelRun(),
  };
}

interface RunContext {
  lanes: number;
  signal: AbortSignal;
  dispatch: (action: ArchiveAction) => void;
}

async function run(ports: DownloadPorts, request: ArchiveRequest, context: RunContext): Promise<void> {
  const { signal, dispatch } = context;
  let sink: FileSink | undefined;
  try {
    const opened = await withRetries(ports, retryCall, signal, () => request.destination.open(signal));
    sink = opened;
    const toConfirm = await writeArchive(ports, request, opened, context);
    assertNotCancelled(signal);
    dispatch({ type: 'finish' });
    await opened.finish();
    dispatch({ type: 'complete' });
    // Not one of them earlier: until the archive is handed over nobody has any of its files.
    await ports.confirmations.confirm(...toConfirm);
  } catch (thrown) {
    dispatch({ type: 'fail', failure: failureUnder(signal, thrown) });
    await sink?.discard().catch(() => {});
  }
}

/** Answers the ids of the files of which the server wants to be told. */
async function writeArchive(
  ports: DownloadPorts,
  { files, key }: ArchiveRequest,
  sink: FileSink,
  { lanes, signal, dispatch }: RunContext,
): Promise<string[]> {
  const totalBytes = files.reduce((total, file) => total + file.fileSize, 0);
  const entries = archiveEntries(files);
  const written: WrittenEntry[] = [];
  const toConfirm: string[] = [];
  let offset = 0;
  let loadedBytes = 0;
  const write = async (bytes: Uint8Array<ArrayBuffer>) => {
    // Asked before: a sink may take the bytes away. Counted after: what could not be written is fetched and written again.
    const { length } = bytes;
    await sink.write(bytes);
    offset += length;
  };

  for (const [index, file] of files.entries()) {
    const entry = entries[index] ?? { path: '_', size: file.fileSize, modifiedAtSeconds: 0 };
    const startsAt = offset;
    let crc32 = 0;
    await write(localHeader(entry));
    const wantsConfirmation = await receiveFile(ports, {
      file,
      plan: planFetch(file, key),
      firstIndex: 0,
      lanes,
      signal,
      wantsCrc32: true,
      onGranted: () => {},
      onMoved: () => {},
      async onChunk(chunk) {
        const { length } = chunk.bytes;
        await write(chunk.bytes);
        crc32 = combineCrc32(crc32, chunk.crc32, length);
        loadedBytes += length;
        const counts = { currentFile: index + 1, totalFiles: files.length, loadedBytes, totalBytes };
        dispatch({ type: 'progress', progress: { fileName: file.fileName, ...counts } });
      },
    });
    await write(dataDescriptor(entry, crc32));
    written.push({ ...entry, crc32, offset: startsAt });
    if (wantsConfirmation) toConfirm.push(file.id);
  }
  await write(centralDirectory(written, offset));
  return toConfirm;
}
