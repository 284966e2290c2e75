// The states of a download page: its files, the download queue, the ZIP and deletions. Pure.
import type { Failure, PageFile } from '@furoshiki/api';
import type { OpenedFile, OpenedPage, PageList } from '@furoshiki/format';
import { type ArchiveState, IDLE_ARCHIVE, isArchiveRunning } from '../zip/machine.ts';
import { type DownloadState, IDLE_DOWNLOAD, isDownloadRunning } from '../file/machine.ts';

export type FileState =
  | DownloadState
  /** The user is choosing where to save it, or the browser's abilities are being checked. */
  | { phase: 'choosing' }
  | { phase: 'queued' }
  | { phase: 'deleting' };

export type PageNotice =
  | { kind: 'deleted' | 'deleteFailed'; fileName: string }
  | { kind: 'someNotDeleted'; count: number }
  | { kind: 'allDeleted' };

/** By file id, in buckets: a change copies one of them. A copy of all was most of the work for a page of 1,000 files. */
export type FileStates = readonly Readonly<Record<string, FileState>>[];

const BUCKETS = 64;

function bucketOf(id: string): number {
  let sum = 0;
  for (let at = 0; at < id.length; at += 1) sum = (sum * 31 + id.charCodeAt(at)) % 65_536;
  return sum % BUCKETS;
}

const NO_STATES: FileStates = Array.from({ length: BUCKETS }, () => ({}));

/** For a few files, such as in tests. */
export function fileStatesOf(states: Readonly<Record<string, FileState>>): FileStates {
  return Object.entries(states).reduce((all, [id, file]) => withState(all, id, file), NO_STATES);
}

function withState(states: FileStates, id: string, file: FileState): FileStates {
  const bucket = bucketOf(id);
  return states.with(bucket, { ...states[bucket], [id]: file });
}

/** Returns the ids of the files whose state is another one. The work does not grow with the files of the page. */
export function changedFiles({ states: before }: PageState, { states: now }: PageState): string[] {
  return now.flatMap((bucket, index) => {
    const old = before[index] ?? {};
    return bucket === old ? [] : Object.keys(bucket).filter((id) => bucket[id] !== old[id]);
  });
}

export interface PageState {
  phase: 'loading' | 'shown' | 'not-found' | 'failed';
  /** Why the page could not be shown. */
  failure?: Failure | undefined;
  files: readonly ShownFile[];
  /** Sealed, as the server sent it. */
  sealedList?: string | undefined;
  /** What the sender has sent, once the key is entered. Undefined if the page has no list. */
  list?: PageList | undefined;
  /** How many files the sender has sent, once the key is entered. Undefined if that is unknown. */
  fileCount?: number | undefined;
  /** Whether the user has a key, right or wrong. From then on nothing is downloaded that is not encrypted. */
  hasKey?: boolean | undefined;
  /** A file without an entry is idle. */
  states: FileStates;
  /** The ids of the waiting files, next one first. */
  queue: readonly string[];
  /** Another user has taken the last download: nothing more is requested. */
  isLimitReached: boolean;
  archive: ArchiveState;
  /** As `choosing`, for the ZIP. The result of the previous ZIP stays visible. */
  isChoosingArchive?: boolean | undefined;
  /** Whether a request waits until the server can be reached. */
  isWaitingForNetwork: boolean;
  /** While all files are being deleted. */
  deletion?: { done: number; total: number } | undefined;
  notice?: PageNotice | undefined;
  /** The file that is being received into memory, or was, to be shown. */
  preview?: { id: string; state: DownloadState } | undefined;
}

export type PageAction =
  | { type: 'load' }
  | { type: 'loaded'; files: readonly PageFile[]; list?: string | undefined }
  | { type: 'keyGiven' }
  /** `served`: the files that were opened. They may have changed since. */
  | { type: 'opened'; served: readonly PageFile[]; page: OpenedPage }
  | { type: 'loadFailed'; failure: Failure }
  | { type: 'choose'; id: string }
  | { type: 'choiceFailed'; id: string; failure: Failure }
  | { type: 'enqueue'; id: string }
  | { type: 'dequeue'; id: string }
  | { type: 'fileChanged'; id: string; state: DownloadState }
  | { type: 'chooseArchive' }
  | { type: 'archiveChanged'; state: ArchiveState }
  | { type: 'limitReached' }
  | { type: 'emptyQueue' }
  | { type: 'networkChanged'; isWaitingForNetwork: boolean }
  | { type: 'deleting'; id: string }
  | { type: 'deleted'; id: string }
  | { type: 'deleteFailed'; id: string }
  | { type: 'deletion'; deletion: PageState['deletion'] }
  | { type: 'notice'; notice: PageNotice | undefined }
  | { type: 'previewChanged'; preview: PageState['preview'] };

export const LOADING_PAGE: PageState = {
  phase: 'loading',
  files: [],
  states: NO_STATES,
  queue: [],
  isLimitReached: false,
  archive: IDLE_ARCHIVE,
  isWaitingForNetwork: false,
};

export function fileStateOf({ states }: PageState, id: string): FileState {
  return states[bucketOf(id)]?.[id] ?? IDLE_DOWNLOAD;
}

/** How many files of the upload are not on the page. Undefined if that is unknown. */
export function missingCount({ fileCount, files }: PageState): number | undefined {
  return fileCount === undefined ? undefined : Math.max(0, fileCount - files.length);
}

/** All downloads are taken, and this browser has no grant. */
export function isUsedUp({ maxDownloads, currentDownloads, granted }: PageFile): boolean {
  return currentDownloads >= maxDownloads && !granted;
}

/** A complete or running file is not downloaded again. A failed one is, but only by a click on it. */
export function canDownload(state: PageState, file: PageFile, by: 'click' | 'all'): boolean {
  if (state.isLimitReached || isUsedUp(file) || isWholePageBusy(state)) return false;
  const { phase } = fileStateOf(state, file.id);
  return phase === 'idle' || phase === 'cancelled' || (phase === 'failed' && by === 'click');
}

/** Whether the file would be in a ZIP of all files. */
export function canArchive(state: PageState, file: PageFile): boolean {
  if (state.isLimitReached || isUsedUp(file) || isPageBusy(state)) return false;
  return fileStateOf(state, file.id).phase !== 'complete';
}

export function isPageBusy(state: PageState): boolean {
  return isWholePageBusy(state) || isAnyFileBusy(state.states);
}

/** Each row asks, so the answer is kept for as long as the states do not change. */
const busyStates = new WeakMap<PageState['states'], boolean>();

function isAnyFileBusy(states: PageState['states']): boolean {
  const known = busyStates.get(states);
  if (known !== undefined) return known;
  const isBusy = states
    .flatMap((bucket) => Object.values(bucket))
    .some(
      (file) => file.phase === 'queued' || file.phase === 'choosing' || file.phase === 'deleting' || isRunning(file),
    );
  busyStates.set(states, isBusy);
  return isBusy;
}

function isWholePageBusy({ archive, isChoosingArchive, deletion }: PageState): boolean {
  return isChoosingArchive === true || isArchiveRunning(archive) || deletion !== undefined;
}

export function reducePage(state: PageState, action: PageAction): PageState {
  switch (action.type) {
    case 'load':
      return state.phase === 'failed' ? { ...state, phase: 'loading', failure: undefined } : state;
    case 'loaded':
      return show({ ...state, sealedList: action.list }, action.files);
    case 'keyGiven':
      return { ...state, hasKey: true };
    case 'opened':
      return open(state, new Set(action.served), action.page);
    case 'loadFailed':
      return showFailure(state, action.failure);
    case 'choose':
      return withFile(state, action.id, { phase: 'choosing' });
    case 'choiceFailed':
      return withFile(state, action.id, asEnd(action.failure));
    case 'enqueue':
      if (state.isLimitReached) return withFile(state, action.id, IDLE_DOWNLOAD);
      return { ...withFile(state, action.id, { phase: 'queued' }), queue: [...state.queue, action.id] };
    case 'dequeue':
      return { ...withFile(state, action.id, IDLE_DOWNLOAD), queue: without(state.queue, action.id) };
    case 'fileChanged':
      return { ...withFile(state, action.id, action.state), queue: without(state.queue, action.id) };
    case 'chooseArchive':
      return { ...state, isChoosingArchive: true };
    case 'archiveChanged':
      return { ...state, archive: action.state, isChoosingArchive: false };
    case 'networkChanged':
      return { ...state, isWaitingForNetwork: action.isWaitingForNetwork };
    case 'limitReached':
      return { ...emptyQueue(state), isLimitReached: true };
    case 'emptyQueue':
      return emptyQueue(state);
    case 'deleting':
      return withFile(state, action.id, { phase: 'deleting' });
    case 'deleted':
      return removeFile(state, action.id);
    case 'deleteFailed':
      return withFile(state, action.id, IDLE_DOWNLOAD);
    case 'deletion':
      return { ...state, deletion: action.deletion };
    case 'notice':
      return { ...state, notice: action.notice };
    case 'previewChanged':
      return state.preview === action.preview ? state : { ...state, preview: action.preview };
    default:
      return action satisfies never;
  }
}

/** A file that is gone from the server stays in its place if the user did something with it: it may be complete. */
function show(state: PageState, files: readonly PageFile[]): PageState {
  const loaded = new Map(files.map((file) => [file.id, file]));
  const isArchived = state.archive.phase === 'complete' || isArchiveRunning(state.archive);
  const isUsed = (id: string) => fileStateOf(state, id).phase !== 'idle' || isArchived || state.isLimitReached;
  const shown: ShownFile[] = [];
  for (const before of state.files) {
    const file = loaded.get(before.id);
    if (file !== undefined) shown.push(updatedFile(before, file));
    else if (isUsed(before.id)) shown.push(asUsedUp(before));
    loaded.delete(before.id);
  }
  shown.push(...loaded.values());
  return { ...state, phase: shown.length === 0 ? 'not-found' : 'shown', failure: undefined, files: shown };
}

function open(state: PageState, served: ReadonlySet<PageFile>, page: OpenedPage): PageState {
  const files = state.files.map((file) => {
    const opened = served.has(servedFile(file)) ? page.files.get(file.id) : undefined;
    return opened ? openedFile(servedFile(file), opened) : file;
  });
  return { ...state, files, list: page.list, fileCount: page.fileCount };
}

/** Shows no remaining downloads. The server does not say why a file is gone. */
function asUsedUp(file: ShownFile): ShownFile {
  const used = { ...servedFile(file), maxDownloads: file.currentDownloads, granted: false };
  return file.opened ? openedFile(used, file.opened) : used;
}

/** A page that is shown stays: its files may be running, or just saved. */
function showFailure(state: PageState, failure: Failure): PageState {
  if (failure.code === 'NOT_FOUND') return show(state, []);
  return state.phase === 'shown' ? state : { ...state, phase: 'failed', failure };
}

function removeFile(state: PageState, id: string): PageState {
  const files = state.files.filter((file) => file.id !== id);
  const phase = files.length === 0 ? 'not-found' : state.phase;
  return { ...withFile(state, id, IDLE_DOWNLOAD), phase, files };
}

function emptyQueue(state: PageState): PageState {
  const asIdle = ([id, file]: [string, FileState]) => [id, file.phase === 'queued' ? IDLE_DOWNLOAD : file] as const;
  const states = state.states.map((bucket) => Object.fromEntries(Object.entries(bucket).map(asIdle)));
  return { ...state, queue: [], states };
}

/** It is no error if the user declines to choose where to save a file. */
function asEnd(failure: Failure): FileState {
  return failure.code === 'CANCELLED' ? IDLE_DOWNLOAD : { phase: 'failed', failure };
}

function withFile(state: PageState, id: string, file: FileState): PageState {
  return { ...state, states: withState(state.states, id, file) };
}

function isRunning(file: FileState): boolean {
  return file.phase !== 'choosing' && file.phase !== 'queued' && file.phase !== 'deleting' && isDownloadRunning(file);
}

function without(queue: readonly string[], id: string): readonly string[] {
  return queue.includes(id) ? queue.filter((queued) => queued !== id) : queue;
}

/**
 * A file of a page as the server describes it. After it was opened with the key, `fileName` and `fileSize` are those of its
 * details, as the sender has described it.
 */
export interface ShownFile extends PageFile {
  opened?: OpenedFile;
  /** As the server sent it. Set together with `opened`. */
  served?: PageFile;
}

export const servedFile = (file: ShownFile): PageFile => file.served ?? file;

export function openedFile(served: PageFile, opened: OpenedFile): ShownFile {
  return { ...served, fileName: opened.details.name, fileSize: opened.details.size, opened, served };
}

/** What opening a file depends on. The rest only counts downloads. */
export function sealedFacts(file: ShownFile): string {
  const { fileName, fileSize, chunkSize, isEncrypted, format, salt, pageSalt, keyCheck, details } = servedFile(file);
  return JSON.stringify([fileName, fileSize, chunkSize, isEncrypted, format, salt, pageSalt, keyCheck, details]);
}

/** The file as it was sent now. Stays opened unless something other than its counts has changed. */
function updatedFile(before: ShownFile, now: PageFile): ShownFile {
  // Keeps the object of a file that has not changed, so that its row is not drawn again.
  if (JSON.stringify(servedFile(before)) === JSON.stringify(now)) return before;
  return before.opened && sealedFacts(before) === sealedFacts(now) ? openedFile(now, before.opened) : now;
}
