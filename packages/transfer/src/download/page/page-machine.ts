// The states of a download page: its files, the queue of those that were asked for, and what is being deleted. Pure.
import type { Failure, PageFile } from '@furoshiki/core';
import { type ArchiveState, isArchiveRunning } from '../zip/archive.ts';
import { type DownloadState, IDLE_DOWNLOAD, isDownloadRunning } from '../file/machine.ts';

export type FileState =
  | DownloadState
  /** The person is being asked where to save it, or the browser whether it can. */
  | { phase: 'choosing' }
  | { phase: 'queued' }
  | { phase: 'deleting' };

export type PageNotice = { kind: 'deleted' | 'deleteFailed'; fileName: string } | { kind: 'allDeleted' };

export interface PageState {
  phase: 'loading' | 'shown' | 'not-found' | 'failed';
  /** Why the page could not be shown. */
  failure?: Failure | undefined;
  files: readonly PageFile[];
  /** By file id. What is not in it is idle. */
  states: Readonly<Record<string, FileState>>;
  /** The ids of the files that wait, next one first. */
  queue: readonly string[];
  /** Somebody else has had the last download: nothing more is asked for. */
  isLimitReached: boolean;
  archive: ArchiveState;
  /** The person is being asked where to save the ZIP, or the browser whether it can. What is told of the last one stays. */
  isChoosingArchive?: boolean | undefined;
  /** Something waits for the network. */
  isWaitingForNetwork: boolean;
  /** While all files are being deleted. */
  deletion?: { done: number; total: number } | undefined;
  notice?: PageNotice | undefined;
}

export type PageAction =
  | { type: 'loaded'; files: readonly PageFile[] }
  | { type: 'loadFailed'; failure: Failure }
  | { type: 'choose'; id: string }
  | { type: 'choiceFailed'; id: string; failure: Failure }
  | { type: 'enqueue'; id: string }
  | { type: 'dequeue'; id: string }
  | { type: 'moved'; id: string; state: DownloadState }
  | { type: 'chooseArchive' }
  | { type: 'archiveMoved'; state: ArchiveState }
  | { type: 'limitReached' }
  | { type: 'networkChanged'; isWaitingForNetwork: boolean }
  | { type: 'deleting'; id: string }
  | { type: 'deleted'; id: string }
  | { type: 'deleteFailed'; id: string }
  | { type: 'deletion'; deletion: PageState['deletion'] }
  | { type: 'notice'; notice: PageNotice | undefined };

export const LOADING_PAGE: PageState = {
  phase: 'loading',
  files: [],
  states: {},
  queue: [],
  isLimitReached: false,
  archive: { phase: 'idle' },
  isWaitingForNetwork: false,
};

export function fileStateOf({ states }: PageState, id: string): FileState {
  return states[id] ?? IDLE_DOWNLOAD;
}

/** Somebody's downloads are all used up, and this browser holds none of them. */
export function isUsedUp({ maxDownloads, currentDownloads, granted }: PageFile): boolean {
  return currentDownloads >= maxDownloads && !granted;
}

/** A file that is complete, or on its way, is not asked for again; one that failed only by a click on it. */
export function canDownload(state: PageState, file: PageFile, by: 'click' | 'all'): boolean {
  if (state.isLimitReached || isUsedUp(file) || isBusyOtherwise(state)) return false;
  const { phase } = fileStateOf(state, file.id);
  return phase === 'idle' || phase === 'cancelled' || (phase === 'failed' && by === 'click');
}

/** Whether it would be in a ZIP of all files. */
export function canArchive(state: PageState, file: PageFile): boolean {
  if (state.isLimitReached || isUsedUp(file) || isPageBusy(state)) return false;
  return fileStateOf(state, file.id).phase !== 'complete';
}

/** How many files come before it, itself counted: 1 is next. */
export function queuePosition({ queue }: PageState, id: string): number {
  return queue.indexOf(id) + 1;
}

export function isPageBusy(state: PageState): boolean {
  return (
    isBusyOtherwise(state) ||
    Object.values(state.states).some(
      (file) => file.phase === 'queued' || file.phase === 'choosing' || file.phase === 'deleting' || isRunning(file),
    )
  );
}

function isBusyOtherwise({ archive, isChoosingArchive, deletion }: PageState): boolean {
  return isChoosingArchive === true || isArchiveRunning(archive) || deletion !== undefined;
}

export function reducePage(state: PageState, action: PageAction): PageState {
  switch (action.type) {
    case 'loaded':
      return show(state, action.files);
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
    case 'moved':
      return { ...withFile(state, action.id, action.state), queue: without(state.queue, action.id) };
    case 'chooseArchive':
      return { ...state, isChoosingArchive: true };
    case 'archiveMoved':
      return { ...state, archive: action.state, isChoosingArchive: false };
    case 'networkChanged':
      return { ...state, isWaitingForNetwork: action.isWaitingForNetwork };
    case 'limitReached':
      return stopAll(state);
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
    default:
      return action satisfies never;
  }
}

/** Files that were shown and are gone stay where something is still to be said of them: it may have been the last download. */
function show(state: PageState, files: readonly PageFile[]): PageState {
  const left = new Set(files.map(({ id }) => id));
  const isArchived = state.archive.phase === 'complete' || isArchiveRunning(state.archive);
  const isTold = (id: string) => fileStateOf(state, id).phase !== 'idle' || isArchived;
  const told = state.files.filter(({ id }) => !left.has(id) && isTold(id));
  const shown = [...files, ...told.map(asUsedUp)];
  return { ...state, phase: shown.length === 0 ? 'not-found' : 'shown', failure: undefined, files: shown };
}

/** No more than there were: why it is gone, nobody says. */
function asUsedUp(file: PageFile): PageFile {
  return { ...file, maxDownloads: file.currentDownloads, granted: false };
}

/** A page that stands stays: what is on it may be running, or just saved. */
function showFailure(state: PageState, failure: Failure): PageState {
  // An id that cannot be one is a link that was cut or mistyped: nothing is there.
  const isMissing = failure.code === 'NOT_FOUND' || failure.code === 'VALIDATION_FAILED';
  if (isMissing) return show(state, []);
  return state.phase === 'shown' ? state : { ...state, phase: 'failed', failure };
}

function removeFile(state: PageState, id: string): PageState {
  const files = state.files.filter((file) => file.id !== id);
  const phase = files.length === 0 ? 'not-found' : state.phase;
  return { ...withFile(state, id, IDLE_DOWNLOAD), phase, files };
}

function stopAll(state: PageState): PageState {
  const states = Object.entries(state.states).map(([id, file]): [string, FileState] => {
    return [id, file.phase === 'queued' ? IDLE_DOWNLOAD : file];
  });
  return { ...state, isLimitReached: true, queue: [], states: Object.fromEntries(states) };
}

/** Who declines to say where to save a file has changed their mind: no error. */
function asEnd(failure: Failure): FileState {
  return failure.code === 'CANCELLED' ? IDLE_DOWNLOAD : { phase: 'failed', failure };
}

function withFile(state: PageState, id: string, file: FileState): PageState {
  return { ...state, states: { ...state.states, [id]: file } };
}

function isRunning(file: FileState): boolean {
  return file.phase !== 'choosing' && file.phase !== 'queued' && file.phase !== 'deleting' && isDownloadRunning(file);
}

function without(queue: readonly string[], id: string): readonly string[] {
  return queue.filter((queued) => queued !== id);
}
