import { Failure } from '@furoshiki/api';
import { planOfChunks } from '@furoshiki/format';
import { describe, expect, it } from 'vitest';
import {
  type FileAction,
  IDLE_UPLOAD,
  type PartState,
  reduceUpload,
  type UploadAction,
  type UploadState,
} from './machine.ts';

const plan = planOfChunks(100, 50);
const result = { pageId: 'page', fileIds: ['a', 'b'] };
const files = [
  { name: 'a', size: 100 },
  { name: 'b', size: 7 },
];
const changes: FileAction[] = [
  { type: 'planned', plan },
  { type: 'arrivedBefore', indexes: new Set([1]) },
  { type: 'partChanged', index: 1, part: { step: 'sending', sentBytes: 9 } },
  { type: 'verify' },
  { type: 'complete' },
  { type: 'fileDone' },
];
const actions: UploadAction[] = [
  { type: 'start', files, arrived: new Set() },
  { type: 'networkChanged', isWaitingForNetwork: true },
  { type: 'signInChanged', signIn: 'waiting' },
  { type: 'finish', ...result },
  { type: 'cancel' },
  { type: 'cancelled' },
  { type: 'fail', failure: new Failure('NETWORK') },
];
type Name = UploadAction['type'] | FileAction['type'];
const names: Name[] = [...actions, ...changes].map(({ type }) => type);
/** The action of this name. A change is of the given file. */
function action(name: Name, fileIndex = 0): UploadAction {
  const change = changes.find(({ type }) => type === name);
  if (change) return { type: 'fileChanged', fileIndex, change };
  return actions.find(({ type }) => type === name) as UploadAction;
}
const change = (state: UploadState, fileIndex: number, ...types: Name[]) =>
  types.reduce((changed, name) => reduceUpload(changed, action(name, fileIndex)), state);
const after = (...types: Name[]) => change(IDLE_UPLOAD, 0, ...types);
const sized = (...sizes: number[]) => sizes.map((size) => ({ name: '', size }));
const COMPLETED = ['verify', 'complete', 'fileDone'] as const;

const uploading = after('start', 'planned');
const states: Record<UploadState['phase'], UploadState> = {
  idle: IDLE_UPLOAD,
  uploading,
  verifying: reduceUpload(uploading, action('verify')),
  completing: after('start', 'planned', 'verify', 'complete'),
  done: after('start', 'verify', 'complete', 'finish'),
  cancelling: after('start', 'planned', 'cancel'),
  cancelled: after('start', 'cancel', 'cancelled'),
  failed: after('start', 'fail'),
};

/** Which actions each phase accepts, and the next phase. All others leave the state unchanged. */
const transitions: Record<UploadState['phase'], Partial<Record<Name, UploadState['phase']>>> = {
  idle: { start: 'uploading' },
  uploading: {
    planned: 'uploading',
    arrivedBefore: 'uploading',
    partChanged: 'uploading',
    networkChanged: 'uploading',
    signInChanged: 'uploading',
    verify: 'verifying',
    cancel: 'cancelling',
    fail: 'failed',
  },
  verifying: {
    planned: 'uploading',
    partChanged: 'verifying',
    networkChanged: 'verifying',
    signInChanged: 'verifying',
    complete: 'completing',
    cancel: 'cancelling',
    fail: 'failed',
  },
  completing: {
    planned: 'uploading',
    networkChanged: 'completing',
    signInChanged: 'completing',
    verify: 'verifying',
    fileDone: 'uploading',
    finish: 'done',
    cancel: 'cancelling',
    fail: 'failed',
  },
  done: { start: 'uploading' },
  cancelling: { networkChanged: 'cancelling', signInChanged: 'cancelling', cancelled: 'cancelled' },
  cancelled: { start: 'uploading' },
  failed: { start: 'uploading' },
};

const phases = Object.keys(states) as UploadState['phase'][];

describe('an upload', () => {
  it.each(phases)('has the state that the table begins with: %s', (phase) => {
    expect(states[phase].phase).toBe(phase);
  });

  describe.each(phases)('%s', (phase) => {
    it.each(names)('accepts %s or ignores it', (name) => {
      const before = states[phase];
      const next = reduceUpload(before, action(name));
      const target = transitions[phase][name];
      expect([next.phase, next === before]).toEqual([target ?? phase, target === undefined]);
    });
  });

  it('starts each file with its own plan and then uses the plan of the server', () => {
    expect(after('start')).toMatchObject({ fileIndex: 0, plan: { count: 1 } });
    expect(uploading).toMatchObject({ fileIndex: 0, plan, parts: [{ step: 'waiting' }, { step: 'waiting' }] });
    const second = reduceUpload(states.completing, action('fileDone'));
    expect(second).toMatchObject({ fileIndex: 1, plan: { fileSize: 7, count: 1 }, parts: [{ step: 'waiting' }] });
  });

  it('starts with the first file that has not arrived before', () => {
    const start = (...arrived: number[]) =>
      reduceUpload(IDLE_UPLOAD, { type: 'start', files: sized(1, 2, 3), arrived: new Set(arrived) });
    expect(start(0, 2)).toMatchObject({ phase: 'uploading', fileIndex: 1, plan: { fileSize: 2 }, arrivedBytes: 4 });
    expect(start(1)).toMatchObject({ fileIndex: 0, bytesBefore: 0, arrivedBytes: 2 });
    expect(start(0, 1, 2)).toMatchObject({ phase: 'completing', fileIndex: 2, arrivedBytes: 6 });
  });

  it('shows the files in order, even if a later one is done first', () => {
    const started = reduceUpload(IDLE_UPLOAD, { type: 'start', files: sized(1, 2, 3), arrived: new Set() });
    const ahead = change(started, 1, ...COMPLETED);
    expect(ahead).toMatchObject({ phase: 'uploading', fileIndex: 0, bytesBefore: 0 });
    const verifying = change(ahead, 2, 'verify');
    expect(change(verifying, 0, ...COMPLETED)).toMatchObject({ phase: 'verifying', fileIndex: 2, bytesBefore: 3 });
    const whole = change(change(verifying, 2, 'complete', 'fileDone'), 0, ...COMPLETED);
    expect(whole).toMatchObject({ phase: 'completing', fileIndex: 2, bytesBefore: 3 });
    expect(change(whole, 0, 'verify')).toBe(whole);
    expect(reduceUpload(whole, action('finish'))).toMatchObject({ phase: 'done' });
  });

  it('ignores changes of files that do not exist', () => {
    expect(change(uploading, 2, 'verify')).toBe(uploading);
  });

  it('keeps the network state from file to file', () => {
    const waiting = reduceUpload(states.completing, action('networkChanged'));
    expect(reduceUpload(waiting, action('networkChanged'))).toBe(waiting);
    expect(reduceUpload(waiting, action('fileDone'))).toMatchObject({ fileIndex: 1, isWaitingForNetwork: true });
    expect(after('start')).toMatchObject({ isWaitingForNetwork: false });
  });

  it('keeps from file to file whether the user must sign in', () => {
    const waiting = reduceUpload(states.completing, action('signInChanged'));
    expect(reduceUpload(waiting, action('signInChanged'))).toBe(waiting);
    expect(reduceUpload(waiting, action('fileDone'))).toMatchObject({ fileIndex: 1, signIn: 'waiting' });
    expect(after('start')).toMatchObject({ signIn: 'none' });
  });

  it('keeps its progress while it is cancelling', () => {
    expect(states.cancelling).toEqual({ ...uploading, phase: 'cancelling' });
  });

  it('has only its result when done', () => {
    expect(states.done).toEqual({ phase: 'done', ...result });
  });

  it('names the file that failed', () => {
    const second = reduceUpload(states.completing, action('fileDone'));
    expect([states.failed, reduceUpload(second, action('fail'))]).toMatchObject([{ fileName: 'a' }, { fileName: 'b' }]);
    const failure = new Failure('FILE_UNREADABLE');
    expect(reduceUpload(uploading, { type: 'fail', failure, fileIndex: 1 })).toMatchObject({ fileName: 'b' });
  });

  it('counts the bytes of earlier tabs separately, from file to file', () => {
    const started = reduceUpload(IDLE_UPLOAD, { type: 'start', files: sized(100, 90, 80), arrived: new Set([0]) });
    const planned: FileAction = { type: 'planned', plan: planOfChunks(90, 50) };
    const begun = reduceUpload(started, { type: 'fileChanged', fileIndex: 1, change: planned });
    expect([after('start'), begun]).toMatchObject([{ arrivedBytes: 0 }, { arrivedBytes: 100 }]);
    const there = change(begun, 1, 'arrivedBefore');
    expect(there).toMatchObject({ arrivedBytes: 140, parts: [{ step: 'waiting' }, { step: 'reported' }] });
    expect(change(there, 1, ...COMPLETED)).toMatchObject({ fileIndex: 2, arrivedBytes: 140 });
  });

  it('counts no bytes of parts that the server holds beyond the plan', () => {
    const started = reduceUpload(IDLE_UPLOAD, { type: 'start', files: sized(90), arrived: new Set() });
    const planned: FileAction = { type: 'planned', plan: planOfChunks(90, 50) };
    const arrived: FileAction = { type: 'arrivedBefore', indexes: new Set([1, 2, 7]) };
    const begun = reduceUpload(started, { type: 'fileChanged', fileIndex: 0, change: planned });
    expect(reduceUpload(begun, { type: 'fileChanged', fileIndex: 0, change: arrived })).toMatchObject({
      arrivedBytes: 40,
    });
  });

  it('does not start without a file', () => {
    expect(reduceUpload(IDLE_UPLOAD, { type: 'start', files: [], arrived: new Set() })).toBe(IDLE_UPLOAD);
  });
});

describe('a part', () => {
  const setPart = (state: UploadState, index: number, part: PartState) =>
    reduceUpload(state, { type: 'fileChanged', fileIndex: 0, change: { type: 'partChanged', index, part } });
  const move = (state: UploadState, step: PartState['step']) =>
    setPart(state, 0, step === 'sending' ? { step, sentBytes: 5 } : { step });

  it('ignores a late progress event', () => {
    const sent = move(move(uploading, 'sending'), 'sent');
    expect(move(sent, 'sending')).toBe(sent);
    const reported = move(sent, 'reported');
    expect(move(reported, 'sent')).toBe(reported);
  });

  it('moves on while it is sent', () => {
    const sending = (sentBytes: number): PartState => ({ step: 'sending', sentBytes });
    const later = setPart(setPart(uploading, 0, sending(5)), 0, sending(9));
    expect(later).toMatchObject({ parts: [{ step: 'sending', sentBytes: 9 }, {}] });
  });

  it('goes back to the start for a retry', () => {
    expect(move(move(uploading, 'reported'), 'waiting')).toMatchObject({ parts: [{ step: 'waiting' }, {}] });
  });

  it('does not change other parts, and must exist', () => {
    expect(move(uploading, 'sent')).toMatchObject({ parts: [{ step: 'sent' }, { step: 'waiting' }] });
    expect(setPart(uploading, 2, { step: 'sent' })).toBe(uploading);
  });
});
