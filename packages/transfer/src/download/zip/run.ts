// The driver of "all files as one ZIP": one grant for each file, and its chunks straight into the archive.
import { distinctPaths, safePath } from '@furoshiki/format';
import { Failure, SMALL_FILES } from '@furoshiki/api';
import { createEngine, type RunContext } from '../../engine.ts';
import type { Destination, FetchedChunk, FileSink } from '../../ports.ts';
import { assertNotCancelled, failureUnder } from '../../resilience/cancellation.ts';
import { retryCall, withRetries } from '../../resilience/retry.ts';
import type { FetchPlan } from '../file/fetch-plan.ts';
import { type DownloadPorts, type DownloadSettings, openSink } from '../file/run.ts';
import type { ShownFile } from '../page/page-machine.ts';
import { combineCrc32 } from './crc32.ts';
import { type ArchiveAction, type ArchiveState, IDLE_ARCHIVE, isArchiveRunning, reduceArchive } from './machine.ts';
import {
  centralDirectory,
  dataDescriptor,
  localHeader,
  type WrittenEntry,
  type ZipEntry,
  zipSize,
} from './zip-format.ts';
import { joinWrites } from './join-writes.ts';
import { receiveFile, type ReceivePorts, type Receiving } from '../file/receive-file.ts';

interface ArchiveRequest {
  plans: readonly FetchPlan[];
  destination: Destination;
}

interface ArchiveEngine {
  getState(): ArchiveState;
  subscribe(listener: () => void): () => void;
  /** Resolves when the download has ended; the state says how. Throws at once while another one runs. */
  start(request: ArchiveRequest): Promise<void>;
  /** Has no effect once everything is written. */
  cancel(): Promise<void>;
}

export function archiveEntries(files: readonly ShownFile[]): ZipEntry[] {
  const paths = distinctPaths(files.map(({ fileName }) => safePath(fileName)));
  return files.map(({ fileSize, createdAt, opened }, index) => ({
    path: paths[index] ?? '_',
    size: fileSize,
    modifiedAtSeconds: opened?.details.modifiedAt ?? createdAt,
  }));
}

/** Known before the first byte, so that a browser can distinguish a complete archive from a cut one. */
export function archiveSize(files: readonly ShownFile[]): number {
  return zipSize(archiveEntries(files));
}

export function createArchive(ports: DownloadPorts, settings: DownloadSettings): ArchiveEngine {
  const engine = createEngine<ArchiveState, ArchiveAction>(reduceArchive, IDLE_ARCHIVE);
  return {
    getState: engine.getState,
    subscribe: engine.subscribe,
    start(request) {
      if (isArchiveRunning(engine.getState())) throw new Error('An archive is being downloaded');
      const files = request.plans.map(({ file: { fileName, fileSize } }) => ({ fileName, fileSize }));
      return engine.start({ type: 'start', files }, (context) => run(ports, request, { ...settings, ...context }));
    },
    cancel: async () => engine.cancel()?.ended,
  };
}

type ArchiveContext = RunContext<ArchiveAction> & DownloadSettings;

async function run(ports: DownloadPorts, request: ArchiveRequest, context: ArchiveContext): Promise<void> {
  const { signal, dispatch } = context;
  let sink: FileSink | undefined;
  try {
    const opened = await openSink(ports, request.destination, signal);
    sink = opened;
    const toConfirm = await writeArchive(ports, request.plans, opened, context);
    assertNotCancelled(signal);
    dispatch({ type: 'finish' });
    await opened.finish();
    dispatch({ type: 'complete' });
    // Not earlier: the user has none of the files before the archive is complete.
    await ports.confirmations.confirm(...toConfirm);
  } catch (thrown) {
    dispatch({ type: 'fail', failure: failureUnder(signal, thrown) });
    await sink?.discard().catch(() => {});
  }
}

/** Returns the ids of the files whose download the server wants to be confirmed. */
async function writeArchive(
  ports: DownloadPorts,
  plans: readonly FetchPlan[],
  sink: FileSink,
  { lanes, signal, dispatch }: ArchiveContext,
): Promise<string[]> {
  const entries = archiveEntries(plans.map(({ file }) => file));
  const written: WrittenEntry[] = [];
  const toConfirm: string[] = [];
  let offset = 0;
  const joined = joinWrites(sink.write);
  const write = async (bytes: Uint8Array<ArrayBuffer>) => {
    // Read the length before the write, which may detach the bytes. Count it after, because a failed write is repeated.
    const { length } = bytes;
    await joined.write(bytes);
    offset += length;
  };
  const retry = (run: () => Promise<void>) => withRetries(ports, retryCall, signal, run);

  const ended = new AbortController();
  const ahead = createReadAhead(ports, plans, { lanes, signal: AbortSignal.any([signal, ended.signal]) });
  try {
    for (const [fileIndex, plan] of plans.entries()) {
      const entry = entries[fileIndex] ?? { path: '_', size: plan.contentSize, modifiedAtSeconds: 0 };
      const startsAt = offset;
      let crc32 = 0;
      await retry(() => write(localHeader(entry)));
      const wantsConfirmation = await ahead.receiveNext(async (chunk) => {
        const { length } = chunk.bytes;
        await write(chunk.bytes);
        crc32 = combineCrc32(crc32, chunk.crc32, length);
        dispatch({ type: 'chunkWritten', fileIndex, bytes: length });
      });
      await retry(() => write(dataDescriptor(entry, crc32)));
      written.push({ ...entry, crc32, offset: startsAt });
      if (wantsConfirmation) toConfirm.push(plan.file.id);
    }
  } finally {
    // If one file failed, nothing more of the others is requested.
    ended.abort();
  }
  await retry(() => write(centralDirectory(written, offset)));
  await retry(joined.flush);
  return toConfirm;
}

/** Files that are received at the same time, and the bytes of those that wait for their turn. Small ones come together. */
const FILES_AT_ONCE = 16;
const SMALL_FILES_AT_ONCE = SMALL_FILES.maxFiles;
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

/** Writes one chunk of the file whose turn it is. */
type OnChunk = (chunk: FetchedChunk) => Promise<void>;

interface BegunFile {
  /** Lets the file write its chunks. Resolves when it is complete, to whether the server wants it to be confirmed. */
  receive(onChunk: OnChunk): Promise<boolean>;
  bytes: number;
}

type Settings = Pick<Receiving, 'lanes' | 'signal'>;

/** Begins to receive the next files while an earlier one is written. Small files would otherwise cost two round trips each. */
function createReadAhead(ports: ReceivePorts, plans: readonly FetchPlan[], { lanes, signal }: Settings) {
  const begun: BegunFile[] = [];
  let nextIndex = 0;

  function begin(plan: FetchPlan): BegunFile {
    const turn = Promise.withResolvers<OnChunk>();
    signal.addEventListener('abort', () => turn.reject(new Failure('CANCELLED')), { once: true });
    // It is awaited when the turn of this file comes. Until then a rejection must not count as unhandled.
    turn.promise.catch(() => undefined);
    const received = receiveFile(ports, {
      plan,
      firstIndex: 0,
      lanes,
      signal,
      wantsCrc32: true,
      onGranted: () => {},
      onChunkChanged: () => {},
      onChunk: async (chunk) => (await turn.promise)(chunk),
    });
    received.catch(() => undefined);
    return {
      bytes: plan.fileSize,
      receive(onChunk) {
        turn.resolve(onChunk);
        return received;
      },
    };
  }

  const waitingBytes = () => begun.reduce((sum, { bytes }) => sum + bytes, 0);

  return {
    /** Receives the next file, and begins with the files after it as far as memory allows. */
    receiveNext(onChunk: OnChunk): Promise<boolean> {
      const current = begun.shift() ?? begin(plans[nextIndex++] as FetchPlan);
      for (let plan = plans[nextIndex]; plan !== undefined; plan = plans[nextIndex]) {
        const atOnce = ports.smallFiles.isSmall(plan) ? SMALL_FILES_AT_ONCE : FILES_AT_ONCE;
        if (begun.length + 1 >= atOnce || waitingBytes() + plan.fileSize > MAX_WAITING_BYTES) break;
        begun.push(begin(plan));
        nextIndex += 1;
      }
      return current.receive(onChunk);
    },
  };
}
