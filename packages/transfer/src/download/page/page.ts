// The driver of a download page: one file at a time out of its queue, the list asked for anew after each, and deletion.
import { asFailure, type CipherKey, type Failure, type PageFile } from '@furoshiki/core';
import { call } from '../../resilience/call.ts';
import { assertNotCancelled } from '../../resilience/cancellation.ts';
import type { Destination, FileSaver } from '../../ports.ts';
import { isUrlRefused } from '../../resilience/retry.ts';
import { createStore } from '../../store.ts';
import { archiveSize, createArchive, isArchiveRunning } from '../zip/archive.ts';
import { planFetch } from '../file/fetch-plan.ts';
import {
  canArchive,
  canDownload,
  isPageBusy,
  LOADING_PAGE,
  type PageNotice,
  type PageState,
  reducePage,
} from './page-machine.ts';
import { createDownload, type DownloadPorts } from '../file/run.ts';

const NOTICE_MS = 5000;

export interface PagePorts extends DownloadPorts {
  saver: FileSaver;
}

export interface PageEngine {
  getState(): PageState;
  subscribe(listener: () => void): () => void;
  load(): Promise<void>;
  /** Must be called by a click: the person may be asked where to save. */
  download(id: string, key: CipherKey | undefined): Promise<void>;
  downloadAll(key: CipherKey | undefined): Promise<void>;
  downloadArchive(fileName: string, key: CipherKey | undefined): Promise<void>;
  /** Takes a file out of the queue, or stops it and removes what is there of it. */
  cancelFile(id: string): Promise<void>;
  cancelArchive(): Promise<void>;
  remove(id: string): Promise<void>;
  removeAll(): Promise<void>;
  /** The page is being left: everything stops, and what can be gone on with later is kept. */
  cancel(): Promise<void>;
}

interface Waiting {
  file: PageFile;
  key: CipherKey | undefined;
  destination: Destination;
}

export function createPage(ports: PagePorts, pageId: string, settings: { lanes: number }): PageEngine {
  const store = createStore(reducePage, LOADING_PAGE);
  const dispatch = store.beginRun();
  const archive = createArchive(ports, settings);
  archive.subscribe(() => dispatch({ type: 'archiveMoved', state: archive.getState() }));
  const waiting = new Map<string, Waiting>();
  let left = new AbortController();
  let unsubscribeNetwork: (() => void) | undefined;
  let endNotice = new AbortController();
  let draining: Promise<void> | undefined;
  let running: { id: string; cancel(keep?: 'keep'): Promise<void> } | undefined;

  async function load(): Promise<void> {
    unsubscribeNetwork ??= ports.network.subscribe(() =>
      dispatch({ type: 'networkChanged', isWaitingForNetwork: ports.network.isUnreachable() }),
    );
    try {
      const { files } = await call(ports, 'page', { params: { pageID: pageId } }, left.signal);
      dispatch({ type: 'loaded', files });
    } catch (thrown) {
      const failure = asFailure(thrown);
      if (failure.code !== 'CANCELLED') dispatch({ type: 'loadFailed', failure });
    }
  }

  async function choose(file: PageFile, key: CipherKey | undefined, mayAsk: boolean): Promise<void> {
    const { signal } = left;
    dispatch({ type: 'choose', id: file.id });
    try {
      const { identity, chunkSize, fileName, fileSize } = planFetch(file, key);
      const destination = await ports.saver.choose({ id: file.id, fileName, fileSize, chunkSize, identity }, mayAsk);
      assertNotCancelled(signal);
      waiting.set(file.id, { file, key, destination });
      dispatch({ type: 'enqueue', id: file.id });
    } catch (thrown) {
      dispatch({ type: 'choiceFailed', id: file.id, failure: asFailure(thrown) });
    }
  }

  /** One file at a time, until none waits. Who asks while it goes on waits for the same end. */
  function drain(): Promise<void> {
    draining ??= drainAll();
    return draining;
  }

  async function drainAll(): Promise<void> {
    // A turn later: it must not have ended before it is known to run.
    await Promise.resolve();
    for (let [id] = store.getState().queue; id !== undefined; [id] = store.getState().queue) {
      const next = waiting.get(id);
      waiting.delete(id);
      if (next) await downloadOne(next);
      else dispatch({ type: 'dequeue', id });
    }
    draining = undefined;
  }

  async function downloadOne(request: Waiting): Promise<void> {
    const { id } = request.file;
    const engine = createDownload(ports, settings);
    running = { id, cancel: engine.cancel };
    engine.subscribe(() => dispatch({ type: 'moved', id, state: engine.getState() }));
    await engine.start(request);
    running = undefined;
    const end = engine.getState();
    if (end.phase === 'failed' && isLimit(end.failure)) dispatch({ type: 'limitReached' });
    if (end.phase === 'complete') await load();
  }

  async function tell(notice: PageNotice): Promise<void> {
    endNotice.abort();
    endNotice = new AbortController();
    dispatch({ type: 'notice', notice });
    await ports.clock.sleep(NOTICE_MS, endNotice.signal).then(
      () => dispatch({ type: 'notice', notice: undefined }),
      () => undefined,
    );
  }

  /** Answers whether it is gone. */
  async function removeOne({ id }: PageFile): Promise<boolean> {
    dispatch({ type: 'deleting', id });
    try {
      await call(ports, 'deleteFile', { params: { id } }, left.signal);
    } catch (thrown) {
      // Gone is gone, whoever did it.
      if (asFailure(thrown).code !== 'NOT_FOUND') {
        dispatch({ type: 'deleteFailed', id });
        return false;
      }
    }
    dispatch({ type: 'deleted', id });
    return true;
  }

  const findFile = (id: string) => store.getState().files.find((file) => file.id === id);

  return {
    getState: store.getState,
    subscribe: store.subscribe,
    load,
    async download(id, key) {
      const file = findFile(id);
      if (!file || !canDownload(store.getState(), file, 'click')) return;
      await choose(file, key, true);
      await drain();
    },
    async downloadAll(key) {
      const { signal } = left;
      const wanted = store.getState().files.filter((file) => canDownload(store.getState(), file, 'all'));
      for (const [index, file] of wanted.entries()) {
        // Meanwhile the page may have been left, or this file been asked for by itself.
        if (signal.aborted || !canDownload(store.getState(), file, 'all')) continue;
        await choose(file, key, index === 0);
        // The first may begin while the others are still being asked about.
        void drain();
      }
      await drain();
    },
    async downloadArchive(fileName, key) {
      const { signal } = left;
      const state = store.getState();
      const files = state.files.filter((file) => canArchive(state, file));
      if (files.length === 0) return;
      const fileSize = archiveSize(files);
      const save = { id: pageId, fileName, fileSize, chunkSize: fileSize, identity: undefined };
      dispatch({ type: 'chooseArchive' });
      try {
        for (const file of files) planFetch(file, key);
        const destination = await ports.saver.choose(save, true);
        assertNotCancelled(signal);
        await archive.start({ files, key, destination });
      } catch (thrown) {
        const failure = asFailure(thrown);
        // Declined, or the page left: as if nobody had asked for it.
        const isUnasked = failure.code === 'CANCELLED';
        dispatch({ type: 'archiveMoved', state: isUnasked ? state.archive : { phase: 'failed', failure } });
        return;
      }
      const end = archive.getState();
      if (end.phase === 'failed' && isLimit(end.failure)) dispatch({ type: 'limitReached' });
      await load();
    },
    async cancelFile(id) {
      if (running?.id === id) return running.cancel();
      waiting.delete(id);
      dispatch({ type: 'dequeue', id });
    },
    cancelArchive: archive.cancel,
    async remove(id) {
      const file = findFile(id);
      if (!file || isPageBusy(store.getState())) return;
      const isGone = await removeOne(file);
      await tell({ kind: isGone ? 'deleted' : 'deleteFailed', fileName: file.fileName });
    },
    async removeAll() {
      const { files } = store.getState();
      if (isPageBusy(store.getState())) return;
      const kept: PageFile[] = [];
      for (const [done, file] of files.entries()) {
        dispatch({ type: 'deletion', deletion: { done, total: files.length } });
        if (!(await removeOne(file))) kept.push(file);
      }
      dispatch({ type: 'deletion', deletion: undefined });
      const [first] = kept;
      await tell(first ? { kind: 'deleteFailed', fileName: first.fileName } : { kind: 'allDeleted' });
    },
    async cancel() {
      left.abort();
      left = new AbortController();
      unsubscribeNetwork?.();
      unsubscribeNetwork = undefined;
      endNotice.abort();
      for (const id of store.getState().queue) dispatch({ type: 'dequeue', id });
      if (isArchiveRunning(archive.getState())) await archive.cancel();
      await running?.cancel('keep');
    },
  };
}

/** A 403, and a storage that refuses even a fresh URL, say that others have had what there was. */
function isLimit(failure: Failure): boolean {
  return failure.code === 'DOWNLOAD_LIMIT_REACHED' || failure.details.status === 403 || isUrlRefused(failure);
}
