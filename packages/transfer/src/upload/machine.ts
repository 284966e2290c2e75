// The states of an upload and the allowed transitions between them. Pure: an action that is not allowed is ignored.
import { type Failure, type PartPlan, plainRange, planParts } from '@furoshiki/core';

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

/** Files are sent one after another, so only the current file has parts. Earlier files are complete, later ones not started. */
export interface RunningUpload {
  files: readonly FileFacts[];
  fileIndex: number;
  plan: PartPlan;
  parts: readonly PartState[];
  /** Bytes of all files that an earlier tab has sent. */
  arrivedBytes: number;
  /** Whether a request waits until the server can be reached. */
  isWaitingForNetwork: boolean;
}

export interface UploadResult {
  pageId: string;
  fileIds: readonly string[];
}

export type UploadState =
  | { phase: 'idle' }
  | ({ phase: 'uploading' | 'verifying' | 'completing' | 'cancelling' } & RunningUpload)
  | ({ phase: 'done' } & UploadResult)
  | { phase: 'cancelled' }
  | { phase: 'failed'; failure: Failure; fileName: string };

export type UploadAction =
  | { type: 'start'; files: readonly FileFacts[]; fileIndex: number }
  | { type: 'planned'; plan: PartPlan }
  | { type: 'arrivedBefore'; indexes: ReadonlySet<number> }
  | { type: 'partChanged'; index: number; part: PartState }
  | { type: 'networkChanged'; isWaitingForNetwork: boolean }
  | { type: 'verify' }
  | { type: 'complete' }
  | { type: 'nextFile' }
  | ({ type: 'finish' } & UploadResult)
  | { type: 'cancel' }
  | { type: 'cancelled' }
  | { type: 'fail'; failure: Failure };

export const IDLE_UPLOAD: UploadState = { phase: 'idle' };

export function reduceUpload(state: UploadState, action: UploadAction): UploadState {
  switch (action.type) {
    case 'start':
      return isUploadRunning(state) ? state : (start(action) ?? state);
    case 'planned':
      if (state.phase !== 'uploading') return state;
      return { ...state, plan: action.plan, parts: waitingParts(action.plan) };
    case 'arrivedBefore':
      return state.phase === 'uploading' ? markArrived(state, action.indexes) : state;
    case 'partChanged':
      if (state.phase !== 'uploading' && state.phase !== 'verifying') return state;
      return changePart(state, action.index, action.part);
    case 'networkChanged':
      return isUploadRunning(state) && state.isWaitingForNetwork !== action.isWaitingForNetwork
        ? { ...state, isWaitingForNetwork: action.isWaitingForNetwork }
        : state;
    case 'verify':
      return state.phase === 'uploading' || state.phase === 'completing' ? { ...state, phase: 'verifying' } : state;
    case 'complete':
      return state.phase === 'verifying' ? { ...state, phase: 'completing' } : state;
    case 'nextFile':
      return state.phase === 'completing' ? (openFile({ ...state, fileIndex: state.fileIndex + 1 }) ?? state) : state;
    case 'finish': {
      const { pageId, fileIds } = action;
      return state.phase === 'completing' ? { phase: 'done', pageId, fileIds } : state;
    }
    case 'cancel':
      return isUploadRunning(state) && state.phase !== 'cancelling' ? { ...state, phase: 'cancelling' } : state;
    case 'cancelled':
      return state.phase === 'cancelling' ? { phase: 'cancelled' } : state;
    case 'fail':
      // A failure while cancelling is caused by the cancellation.
      if (!isUploadRunning(state) || state.phase === 'cancelling') return state;
      return { phase: 'failed', failure: action.failure, fileName: state.files[state.fileIndex]?.name ?? '' };
    default:
      return action satisfies never;
  }
}

export function isUploadRunning(state: UploadState): state is Extract<UploadState, RunningUpload> {
  return 'parts' in state;
}

function start({ files, fileIndex }: Extract<UploadAction, { type: 'start' }>): UploadState | undefined {
  const arrivedBytes = files.slice(0, fileIndex).reduce((total, { size }) => total + size, 0);
  return openFile({ files, fileIndex, arrivedBytes, isWaitingForNetwork: false });
}

function openFile(upload: Omit<RunningUpload, 'plan' | 'parts'>): UploadState | undefined {
  const file = upload.files[upload.fileIndex];
  if (file === undefined) return undefined;
  // A provisional plan. The `planned` action replaces it with the plan of the server's response.
  const plan = planParts(file.size);
  return { ...upload, phase: 'uploading', plan, parts: waitingParts(plan) };
}

function markArrived<State extends RunningUpload>(state: State, indexes: ReadonlySet<number>): State {
  const { plan } = state;
  let { arrivedBytes } = state;
  const parts = state.parts.map((part, index): PartState => {
    if (!indexes.has(index)) return part;
    arrivedBytes += plainRange(plan, index).length;
    return { step: 'reported' };
  });
  return { ...state, arrivedBytes, parts };
}

function waitingParts(plan: PartPlan): PartState[] {
  return Array.from({ length: plan.count }, () => ({ step: 'waiting' }));
}

const ORDER: Record<PartState['step'], number> = { waiting: 0, sending: 1, sent: 2, reported: 3 };

/** A part moves forward, or back to the start for a retry. Late progress events are ignored. */
function changePart<State extends RunningUpload>(state: State, index: number, part: PartState): State {
  const current = state.parts[index];
  if (current === undefined || (part.step !== 'waiting' && ORDER[part.step] < ORDER[current.step])) return state;
  return { ...state, parts: state.parts.with(index, part) };
}
