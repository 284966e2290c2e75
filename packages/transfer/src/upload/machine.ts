// The states of an upload and the allowed transitions between them. Pure: an action that is not allowed is ignored.
import type { Failure } from '@furoshiki/api';
import { type PartPlan, plainRange, planParts } from '@furoshiki/format';
import type { SignInState } from '../ports.ts';

export type PartState =
  | { step: 'waiting' }
  | { step: 'sending'; sentBytes: number }
  | { step: 'sent' }
  /** The part notice has a response, or an earlier tab has sent the part. */
  | { step: 'reported' };

export interface FileFacts {
  name: string;
  size: number;
}

export interface FileProgress {
  phase: 'uploading' | 'verifying' | 'completing' | 'done';
  plan: PartPlan;
  parts: readonly PartState[];
}

/**
 * Users see one file after the other. `fileIndex`, `plan` and `parts` are of the current file: the first one that is not
 * done. The engine may have begun a few files after it.
 */
export interface RunningUpload extends Pick<FileProgress, 'plan' | 'parts'> {
  files: readonly FileFacts[];
  fileIndex: number;
  /** The files after the current one that were begun or are done, by index. */
  ahead: ReadonlyMap<number, FileProgress>;
  totalBytes: number;
  /** Bytes of the files before the current one. */
  bytesBefore: number;
  /** Bytes of all files that an earlier tab has sent. */
  arrivedBytes: number;
  /** Whether a request waits until the server can be reached. */
  isWaitingForNetwork: boolean;
  /** Whether files wait until the user has signed in. */
  signIn: SignInState;
}

export interface UploadResult {
  pageId: string;
  fileIds: readonly string[];
  /** Set if the files could not be grouped: each one has a page of its own, and `pageId` is that of the first. */
  separatePages?: readonly SeparatePage[] | undefined;
}

export interface SeparatePage {
  fileName: string;
  pageId: string;
}

export type UploadState =
  | { phase: 'idle' }
  | ({ phase: 'uploading' | 'verifying' | 'completing' | 'cancelling' } & RunningUpload)
  | ({ phase: 'done' } & UploadResult)
  | { phase: 'cancelled' }
  | { phase: 'failed'; failure: Failure; fileName: string };

/** What happens to one file. */
export type FileAction =
  | { type: 'planned'; plan: PartPlan }
  | { type: 'arrivedBefore'; indexes: ReadonlySet<number> }
  | { type: 'partChanged'; index: number; part: PartState }
  | { type: 'verify' }
  | { type: 'complete' }
  | { type: 'fileDone' };

export type UploadAction =
  /** `arrived`: the indexes of the files that an earlier tab has completed. */
  | { type: 'start'; files: readonly FileFacts[]; arrived: ReadonlySet<number> }
  | { type: 'fileChanged'; fileIndex: number; change: FileAction }
  | { type: 'networkChanged'; isWaitingForNetwork: boolean }
  | { type: 'signInChanged'; signIn: SignInState }
  | ({ type: 'finish' } & UploadResult)
  | { type: 'cancel' }
  | { type: 'cancelled' }
  /** Without `fileIndex`, the failure is of the current file. */
  | { type: 'fail'; failure: Failure; fileIndex?: number | undefined };

export const IDLE_UPLOAD: UploadState = { phase: 'idle' };

export function reduceUpload(state: UploadState, action: UploadAction): UploadState {
  switch (action.type) {
    case 'start':
      return isUploadRunning(state) || action.files.length === 0 ? state : start(action);
    case 'fileChanged':
      return isUploadRunning(state) ? changeFile(state, action.fileIndex, action.change) : state;
    case 'networkChanged':
      return isUploadRunning(state) && state.isWaitingForNetwork !== action.isWaitingForNetwork
        ? { ...state, isWaitingForNetwork: action.isWaitingForNetwork }
        : state;
    case 'signInChanged':
      return isUploadRunning(state) && state.signIn !== action.signIn ? { ...state, signIn: action.signIn } : state;
    case 'finish': {
      const { type: _, ...result } = action;
      return state.phase === 'completing' ? { phase: 'done', ...result } : state;
    }
    case 'cancel':
      return isUploadRunning(state) && state.phase !== 'cancelling' ? { ...state, phase: 'cancelling' } : state;
    case 'cancelled':
      return state.phase === 'cancelling' ? { phase: 'cancelled' } : state;
    case 'fail': {
      // A failure while cancelling is caused by the cancellation.
      if (!isUploadRunning(state) || state.phase === 'cancelling') return state;
      const { failure, fileIndex = state.fileIndex } = action;
      return { phase: 'failed', failure, fileName: state.files[fileIndex]?.name ?? '' };
    }
    default:
      return action satisfies never;
  }
}

export function isUploadRunning(state: UploadState): state is Extract<UploadState, RunningUpload> {
  return 'parts' in state;
}

function start({ files, arrived }: Extract<UploadAction, { type: 'start' }>): UploadState {
  const ahead = new Map([...arrived].map((index) => [index, doneFile(files[index])]));
  const totalBytes = files.reduce((total, { size }) => total + size, 0);
  const arrivedBytes = files.reduce((total, { size }, index) => (arrived.has(index) ? total + size : total), 0);
  const waits = { isWaitingForNetwork: false, signIn: 'none' } as const;
  return showFile({ files, fileIndex: 0, ahead, totalBytes, bytesBefore: 0, arrivedBytes, ...waits });
}

/** Moves on to the first file from `fileIndex` on that is not done. After the last file, the page remains to be created. */
function showFile(upload: Omit<RunningUpload, 'plan' | 'parts'>): UploadState {
  const { files } = upload;
  const ahead = new Map(upload.ahead);
  let { fileIndex, bytesBefore } = upload;
  for (;;) {
    const current = ahead.get(fileIndex) ?? newFile(files[fileIndex]);
    ahead.delete(fileIndex);
    const { phase, plan, parts } = current;
    if (phase !== 'done') return { ...upload, ahead, fileIndex, bytesBefore, phase, plan, parts };
    if (fileIndex === files.length - 1)
      return { ...upload, ahead, fileIndex, bytesBefore, phase: 'completing', plan, parts };
    bytesBefore += files[fileIndex]?.size ?? 0;
    fileIndex += 1;
  }
}

function changeFile(state: Extract<UploadState, RunningUpload>, fileIndex: number, action: FileAction): UploadState {
  const { files, ahead, phase, plan, parts } = state;
  if (fileIndex < state.fileIndex || fileIndex >= files.length || phase === 'cancelling') return state;
  const isCurrent = fileIndex === state.fileIndex;
  const before = isCurrent ? { phase, plan, parts } : (ahead.get(fileIndex) ?? newFile(files[fileIndex]));
  const after = reduceFile(before, action);
  if (after === before) return state;
  const arrivedBytes = state.arrivedBytes + (action.type === 'arrivedBefore' ? bytesOf(after.plan, action.indexes) : 0);
  if (isCurrent && after.phase !== 'done')
    return { ...state, arrivedBytes, phase: after.phase, plan: after.plan, parts: after.parts };
  const next = { ...state, arrivedBytes, ahead: new Map(ahead).set(fileIndex, after) };
  return isCurrent ? showFile(next) : next;
}

function reduceFile(file: FileProgress, action: FileAction): FileProgress {
  const { phase } = file;
  switch (action.type) {
    case 'planned':
      // Also a file that is begun again.
      return phase === 'done'
        ? file
        : { phase: 'uploading', plan: action.plan, parts: partsOf(action.plan, 'waiting') };
    case 'arrivedBefore':
      return phase === 'uploading' ? { ...file, parts: markArrived(file.parts, action.indexes) } : file;
    case 'partChanged':
      return phase === 'uploading' || phase === 'verifying' ? changePart(file, action.index, action.part) : file;
    case 'verify':
      return phase === 'uploading' || phase === 'completing' ? { ...file, phase: 'verifying' } : file;
    case 'complete':
      return phase === 'verifying' ? { ...file, phase: 'completing' } : file;
    case 'fileDone':
      return phase === 'completing' ? { ...file, phase: 'done' } : file;
    default:
      return action satisfies never;
  }
}

/** With a provisional plan. The action `planned` replaces it with the plan of the server's response. */
function newFile(facts: FileFacts | undefined): FileProgress {
  const plan = planParts(facts?.size ?? 0);
  return { phase: 'uploading', plan, parts: partsOf(plan, 'waiting') };
}

function doneFile(facts: FileFacts | undefined): FileProgress {
  const { plan } = newFile(facts);
  return { phase: 'done', plan, parts: partsOf(plan, 'reported') };
}

function partsOf(plan: PartPlan, step: 'waiting' | 'reported'): PartState[] {
  return Array.from({ length: plan.count }, () => ({ step }));
}

function markArrived(parts: readonly PartState[], indexes: ReadonlySet<number>): PartState[] {
  return parts.map((part, index) => (indexes.has(index) ? { step: 'reported' } : part));
}

function bytesOf(plan: PartPlan, indexes: ReadonlySet<number>): number {
  let bytes = 0;
  for (const index of indexes) if (index < plan.count) bytes += plainRange(plan, index).length;
  return bytes;
}

const ORDER: Record<PartState['step'], number> = { waiting: 0, sending: 1, sent: 2, reported: 3 };

/** A part moves forward, or back to the start for a retry. Late progress events are ignored. */
function changePart(file: FileProgress, index: number, part: PartState): FileProgress {
  const current = file.parts[index];
  if (current === undefined || (part.step !== 'waiting' && ORDER[part.step] < ORDER[current.step])) return file;
  return { ...file, parts: file.parts.with(index, part) };
}
