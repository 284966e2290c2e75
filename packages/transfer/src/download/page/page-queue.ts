// The queue of a download page: files are received in order, small ones together, and saved one after the other.
import type { Failure } from '@furoshiki/api';
import { MB } from '@furoshiki/format';
import { isUrlRefused } from '../../resilience/retry.ts';
import { isDownloadRunning } from '../file/machine.ts';
import { createDownload, type DownloadPorts, type DownloadRequest, type DownloadSettings } from '../file/run.ts';
import type { PageAction, PageState } from './page-machine.ts';

/** Small files take longer to request than to receive, so several are received at once. */
const FILES_AT_ONCE = 8;
const MAX_BYTES_AT_ONCE = 8 * MB;

export interface QueueOptions extends DownloadSettings {
  getState(): PageState;
  dispatch(action: PageAction): void;
  /** Called when the counts have changed: a file is saved and confirmed, or its limit is reached. */
  onEnd(): Promise<void>;
}

export interface PageQueue {
  readonly isIdle: boolean;
  add(request: DownloadRequest): void;
  /** Downloads until the queue is empty and all has ended. Calls in the meantime share the same promise. */
  drain(): Promise<void>;
  /** Removes a file from the queue, or stops its download and removes what was written. */
  cancel(id: string): Promise<void>;
  /** Stops all running downloads and keeps what can be resumed. */
  suspend(): Promise<void>;
}

interface RunningDownload {
  fileSize: number;
  /** Resolves when the file is saved, or has failed. */
  saved: Promise<void>;
  cancel(keep?: 'keep'): Promise<void>;
}

export function createPageQueue(ports: DownloadPorts, options: QueueOptions): PageQueue {
  const { getState, dispatch, onEnd, lanes, filesAtOnce: maxFilesAtOnce = FILES_AT_ONCE } = options;
  const waiting = new Map<string, DownloadRequest>();
  const running = new Map<string, RunningDownload>();
  /** One more after each complete file. A failure may mean a lost network, or that others have taken all downloads. */
  let filesAtOnce = 1;
  let draining: Promise<void> | undefined;

  const allRunning = () => [...running.values()];

  async function drainAll(): Promise<void> {
    // One microtask later, because `draining` must be set before this function can end.
    await Promise.resolve();
    const ends: Promise<void>[] = [];
    let previousSaved: Promise<void> = Promise.resolve();
    filesAtOnce = 1;
    for (let [id] = getState().queue; id !== undefined; [id] = getState().queue) {
      const next = waiting.get(id);
      if (next === undefined) dispatch({ type: 'dequeue', id });
      else if (hasRoomFor(next)) {
        waiting.delete(id);
        const { saved, ended } = begin({ ...next, previousSaved });
        previousSaved = saved;
        ends.push(ended);
      } else await Promise.race(allRunning().map(({ saved }) => saved));
      // Others may be added to the queue while the last ones run.
      if (getState().queue.length === 0) await Promise.all(ends.splice(0));
    }
    draining = undefined;
  }

  function hasRoomFor({ plan }: DownloadRequest): boolean {
    const bytes = allRunning().reduce((sum, { fileSize }) => sum + fileSize, plan.fileSize);
    return running.size === 0 || (running.size < filesAtOnce && bytes <= MAX_BYTES_AT_ONCE);
  }

  function begin(request: DownloadRequest): { saved: Promise<void>; ended: Promise<void> } {
    const { file, fileSize } = request.plan;
    const { id } = file;
    const engine = createDownload(ports, { lanes });
    const { promise: saved, resolve } = Promise.withResolvers<void>();
    engine.subscribe(() => {
      const state = engine.getState();
      dispatch({ type: 'fileChanged', id, state });
      if (isDownloadRunning(state) || !running.delete(id)) return;
      filesAtOnce = state.phase === 'complete' ? Math.min(filesAtOnce + 1, maxFilesAtOnce) : 1;
      if (state.phase === 'failed') stopIfRefused(state.failure);
      resolve();
    });
    running.set(id, { fileSize, saved, cancel: engine.cancel });
    const run = async () => {
      await engine.start(request);
      const { phase } = engine.getState();
      if (phase === 'complete' || (phase === 'failed' && getState().isLimitReached)) await onEnd();
    };
    return { saved, ended: run() };
  }

  function stopIfRefused(failure: Failure): void {
    if (isLimit(failure)) dispatch({ type: 'limitReached' });
    else if (isUrlRefused(failure)) dispatch({ type: 'emptyQueue' });
  }

  return {
    get isIdle() {
      return running.size === 0 && getState().queue.length === 0;
    },
    add(request) {
      const { id } = request.plan.file;
      waiting.set(id, request);
      dispatch({ type: 'enqueue', id });
    },
    drain() {
      draining ??= drainAll();
      return draining;
    },
    async cancel(id) {
      const download = running.get(id);
      if (download) return download.cancel();
      waiting.delete(id);
      dispatch({ type: 'dequeue', id });
    },
    async suspend() {
      await Promise.all(allRunning().map((download) => download.cancel('keep')));
    },
  };
}

/** A server that refuses a URL means that other users have taken all downloads. A storage that refuses one does not. */
export function isLimit({ code, details: { status, during } }: Failure): boolean {
  return code === 'DOWNLOAD_LIMIT_REACHED' || (status === 403 && during === 'fileInfo');
}
