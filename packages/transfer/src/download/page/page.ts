// The driver of a download page: the files of the queue in order, the list reloaded after each, and deletion.
import { asFailure, Failure } from '@furoshiki/api';
import { openPage, type SecretKey } from '@furoshiki/format';
import { call } from '../../resilience/retry.ts';
import { assertNotCancelled } from '../../resilience/cancellation.ts';
import type { CryptoPort, FileSaver } from '../../ports.ts';
import { createMutex } from '../../concurrency/lanes.ts';
import { createStore } from '../../engine.ts';
import { planFetch } from '../file/fetch-plan.ts';
import { isArchiveRunning } from '../zip/machine.ts';
import { archiveSize, createArchive } from '../zip/run.ts';
import {
  canArchive,
  canDownload,
  isPageBusy,
  LOADING_PAGE,
  type PageNotice,
  type PageState,
  reducePage,
  servedFile,
  type ShownFile,
} from './page-machine.ts';
import { createPageQueue, isLimit } from './page-queue.ts';
import { canPlay, type OpenMedia, openMedia } from './media.ts';
import { canPreview, createPreview } from './preview.ts';
import type { DownloadPorts, DownloadSettings } from '../file/run.ts';

const NOTICE_MS = 5000;
/** On a page with more files than this, the list is not reloaded after each file: that would take longer than the file. */
const FEW_FILES = 50;
const RELOAD_EVERY_MS = 5000;

export interface PagePorts extends DownloadPorts {
  saver: FileSaver;
  crypto: Pick<CryptoPort, 'subtle'>;
}

export interface PageEngine {
  getState(): PageState;
  subscribe(listener: () => void): () => void;
  load(): Promise<void>;
  /**
   * Opens the files that are shown: checks the key and everything that the server says. Throws KEY_INCORRECT or
   * PAGE_TAMPERED. Encrypted files can be downloaded only after it, and unencrypted ones only if it was never called.
   */
  open(key: SecretKey): Promise<void>;
  /** Must be called by a click: the user may be asked where to save. */
  download(id: string): Promise<void>;
  downloadAll(): Promise<void>;
  downloadArchive(fileName: string): Promise<void>;
  /** Removes a file from the queue, or stops its download and removes what was written. */
  cancelFile(id: string): Promise<void>;
  cancelArchive(): Promise<void>;
  /**
   * Takes a grant like a download, and resolves to the whole file in memory. Saving the file afterwards takes the same grant.
   * Throws a Failure: CANCELLED if it was closed, or cannot be opened. Only one file at a time is open.
   */
  preview(id: string): Promise<Uint8Array<ArrayBuffer>>;
  closePreview(): Promise<void>;
  /** Takes a grant like a download, and lets any part of a video or a sound be read, until `closePreview`. Throws a Failure. */
  openMedia(id: string): Promise<OpenMedia>;
  remove(id: string): Promise<void>;
  removeAll(): Promise<void>;
  /** Call when the page is left: stops everything, and keeps what can be resumed. */
  cancel(): Promise<void>;
}

export function createPage(ports: PagePorts, pageId: string, settings: DownloadSettings): PageEngine {
  const store = createStore(reducePage, LOADING_PAGE);
  const dispatch = store.beginRun();
  const archive = createArchive(ports, settings);
  archive.subscribe(() => dispatch({ type: 'archiveChanged', state: archive.getState() }));
  const queue = createPageQueue(ports, {
    ...settings,
    getState: store.getState,
    dispatch,
    onEnd: reloadIfDue,
  });
  const preview = createPreview(ports, { ...settings, getState: store.getState, dispatch, onEnd: reloadIfDue });
  const runExclusive = createMutex();
  let mediaAbort = new AbortController();
  let pageAbort = new AbortController();
  let unsubscribeNetwork: (() => void) | undefined;
  let endNotice = new AbortController();
  let loadedAtMs = 0;

  async function load(): Promise<void> {
    unsubscribeNetwork ??= ports.network.subscribe(() =>
      dispatch({ type: 'networkChanged', isWaitingForNetwork: ports.network.isUnreachable() }),
    );
    try {
      dispatch({ type: 'load' });
      const { files, list } = await call(ports, 'page', { params: { pageID: pageId } }, pageAbort.signal);
      loadedAtMs = ports.clock.nowMs();
      dispatch({ type: 'loaded', files, list });
    } catch (thrown) {
      const failure = asFailure(thrown);
      if (failure.code !== 'CANCELLED') dispatch({ type: 'loadFailed', failure });
    }
  }

  async function choose(file: ShownFile, mayAsk: boolean): Promise<void> {
    const { signal } = pageAbort;
    dispatch({ type: 'choose', id: file.id });
    try {
      const plan = planFetch(file, store.getState().hasKey);
      const { resumable, chunkSize, contentSize } = plan;
      const { modifiedAt, executable, folder } = file.opened?.details ?? {};
      const toSave = {
        id: file.id,
        fileName: file.fileName,
        fileSize: contentSize,
        chunkSize,
        resumable,
        ...(modifiedAt === undefined ? {} : { modifiedAt }),
        ...(executable === undefined ? {} : { executable }),
        ...(folder === undefined ? {} : { folder }),
      };
      const destination = await ports.saver.choose(toSave, mayAsk);
      assertNotCancelled(signal);
      queue.add({ plan, destination });
    } catch (thrown) {
      dispatch({ type: 'choiceFailed', id: file.id, failure: asFailure(thrown) });
    }
  }

  function closeMedia(): void {
    mediaAbort.abort();
    mediaAbort = new AbortController();
  }

  async function reloadIfDue(): Promise<void> {
    const isFew = store.getState().files.length <= FEW_FILES;
    if (isFew || queue.isIdle || ports.clock.nowMs() - loadedAtMs >= RELOAD_EVERY_MS) await runExclusive(load);
  }

  async function showNotice(notice: PageNotice): Promise<void> {
    endNotice.abort();
    endNotice = new AbortController();
    dispatch({ type: 'notice', notice });
    await ports.clock.sleep(NOTICE_MS, endNotice.signal).then(
      () => dispatch({ type: 'notice', notice: undefined }),
      () => undefined,
    );
  }

  /** Returns whether the file is gone. */
  async function removeOne({ id }: ShownFile): Promise<boolean> {
    dispatch({ type: 'deleting', id });
    try {
      await call(ports, 'deleteFile', { params: { id } }, pageAbort.signal);
    } catch (thrown) {
      // Someone else may have deleted it, or it has expired.
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
    async open(key) {
      const { files, sealedList } = store.getState();
      const served = files.map(servedFile);
      dispatch({ type: 'keyGiven' });
      const page = await openPage(ports.crypto.subtle, key, { files: served, list: sealedList });
      dispatch({ type: 'opened', served, page });
    },
    async download(id) {
      const file = findFile(id);
      if (!file || !canDownload(store.getState(), file, 'click')) return;
      await choose(file, true);
      await queue.drain();
    },
    async downloadAll() {
      const { signal } = pageAbort;
      const wanted = store.getState().files.filter((file) => canDownload(store.getState(), file, 'all'));
      for (const [index, file] of wanted.entries()) {
        // Meanwhile the user may have left the page or clicked on this file.
        if (signal.aborted || !canDownload(store.getState(), file, 'all')) continue;
        await choose(file, index === 0);
        // The first download may begin while destinations for the others are still being chosen.
        void queue.drain();
      }
      await queue.drain();
    },
    async downloadArchive(fileName) {
      const { signal } = pageAbort;
      const state = store.getState();
      const files = state.files.filter((file) => canArchive(state, file));
      if (files.length === 0) return;
      const fileSize = archiveSize(files);
      const save = { id: pageId, fileName, fileSize, chunkSize: fileSize, resumable: undefined };
      dispatch({ type: 'chooseArchive' });
      try {
        const plans = files.map((file) => planFetch(file, state.hasKey));
        const destination = await ports.saver.choose(save, true);
        assertNotCancelled(signal);
        await archive.start({ plans, destination });
      } catch (thrown) {
        const failure = asFailure(thrown);
        // The user declined or left the page: restore the previous state.
        const isDeclined = failure.code === 'CANCELLED';
        dispatch({ type: 'archiveChanged', state: isDeclined ? state.archive : { phase: 'failed', failure } });
        return;
      }
      const end = archive.getState();
      if (end.phase === 'failed' && isLimit(end.failure)) dispatch({ type: 'limitReached' });
      await load();
    },
    cancelFile: queue.cancel,
    cancelArchive: archive.cancel,
    async preview(id) {
      const file = findFile(id);
      if (!file || !canPreview(store.getState(), file)) throw new Failure('CANCELLED');
      return preview.open(file);
    },
    closePreview() {
      closeMedia();
      return preview.close();
    },
    async openMedia(id) {
      const file = findFile(id);
      if (!file || !canPlay(store.getState(), file)) throw new Failure('CANCELLED');
      closeMedia();
      const { hasKey } = store.getState();
      return openMedia(ports, file, { hasKey, signal: mediaAbort.signal, dispatch, onGranted: reloadIfDue });
    },
    async remove(id) {
      const file = findFile(id);
      if (!file || isPageBusy(store.getState())) return;
      const isGone = await removeOne(file);
      await showNotice({ kind: isGone ? 'deleted' : 'deleteFailed', fileName: file.fileName });
    },
    async removeAll() {
      const { files } = store.getState();
      if (isPageBusy(store.getState())) return;
      const kept: ShownFile[] = [];
      for (const [done, file] of files.entries()) {
        dispatch({ type: 'deletion', deletion: { done, total: files.length } });
        if (!(await removeOne(file))) kept.push(file);
      }
      dispatch({ type: 'deletion', deletion: undefined });
      await showNotice(noticeOfKept(kept));
    },
    async cancel() {
      pageAbort.abort();
      pageAbort = new AbortController();
      unsubscribeNetwork?.();
      unsubscribeNetwork = undefined;
      endNotice.abort();
      for (const id of store.getState().queue) dispatch({ type: 'dequeue', id });
      closeMedia();
      await preview.close();
      if (isArchiveRunning(archive.getState())) await archive.cancel();
      await queue.suspend();
    },
  };
}

function noticeOfKept(kept: readonly ShownFile[]): PageNotice {
  const [first] = kept;
  if (first === undefined) return { kind: 'allDeleted' };
  return kept.length === 1
    ? { kind: 'deleteFailed', fileName: first.fileName }
    : { kind: 'someNotDeleted', count: kept.length };
}
