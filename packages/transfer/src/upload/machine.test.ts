import { Failure, planOfChunks } from '@furoshiki/core';
import { describe, expect, it } from 'vitest';
import { IDLE_UPLOAD, reduceUpload, type UploadAction, type UploadState } from './machine.ts';

const plan = planOfChunks(100, 50);
const result = { pageId: 'page', fileIds: ['a', 'b'] };
const actions: UploadAction[] = [
  {
    type: 'start',
    files: [
      { name: 'a', size: 100 },
      { name: 'b', size: 7 },
    ],
    fileIndex: 0,
  },
  { type: 'planned', plan },
  { type: 'arrivedBefore', indexes: new Set([1]) },
  { type: 'partChanged', index: 1, part: { step: 'sending', sentBytes: 9 } },
  { type: 'networkChanged', isWaitingForNetwork: true },
  { type: 'verify' },
  { type: 'complete' },
  { type: 'nextFile' },
  { type: 'finish', ...result },
  { type: 'cancel' },
  { type: 'cancelled' },
  { type: 'fail', failure: new Failure('NETWORK') },
];
const action = (type: UploadAction['type']) => actions.find((each) => each.type === type) as UploadAction;
const after = (...types: UploadAction['type'][]) =>
  types.reduce((state, type) => reduceUpload(state, action(type)), IDLE_UPLOAD);

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
const transitions: Record<UploadState['phase'], Partial<Record<UploadAction['type'], UploadState['phase']>>> = {
  idle: { start: 'uploading' },
  uploading: {
    planned: 'uploading',
    arrivedBefore: 'uploading',
    partChanged: 'uploading',
    networkChanged: 'uploading',
    verify: 'verifying',
    cancel: 'cancelling',
    fail: 'failed',
  },
  verifying: {
    partChanged: 'verifying',
    networkChanged: 'verifying',
    complete: 'completing',
    cancel: 'cancelling',
    fail: 'failed',
  },
  completing: {
    networkChanged: 'completing',
    verify: 'verifying',
    nextFile: 'uploading',
    finish: 'done',
    cancel: 'cancelling',
    fail: 'failed',
  },
  done: { start: 'uploading' },
  cancelling: { networkChanged: 'cancelling', cancelled: 'cancelled' },
  cancelled: { start: 'uploading' },
  failed: { start: 'uploading' },
};

const phases = Object.keys(states) as UploadState['phase'][];

describe('an upload', () => {
  it.each(phases)('has the state that the table begins with: %s', (phase) => {
    expect(states[phase].phase).toBe(phase);
  });

  describe.each(phases)('%s', (phase) => {
    it.each(actions)('accepts $type or ignores it', (taken) => {
      const before = states[phase];
      const next = reduceUpload(before, taken);
      const target = transitions[phase][taken.type];
      expect([next.phase, next === before]).toEqual([target ?? phase, target === undefined]);
    });
  });

  it('starts each file with its own plan and then uses the plan of the server', () => {
    expect(after('start')).toMatchObject({ fileIndex: 0, plan: { count: 1 } });
    expect(uploading).toMatchObject({ fileIndex: 0, plan, parts: [{ step: 'waiting' }, { step: 'waiting' }] });
    const second = reduceUpload(states.completing, action('nextFile'));
    expect(second).toMatchObject({ fileIndex: 1, plan: { fileSize: 7, count: 1 }, parts: [{ step: 'waiting' }] });
  });

  it('may start with a later file', () => {
    const files = [1, 2, 3].map((size) => ({ name: '', size }));
    expect(reduceUpload(IDLE_UPLOAD, { type: 'start', files, fileIndex: 2 })).toMatchObject({ plan: { fileSize: 3 } });
  });

  it('has no file after the last', () => {
    const last = (['nextFile', 'verify', 'complete'] as const).reduce(
      (state, type) => reduceUpload(state, action(type)),
      states.completing,
    );
    expect(reduceUpload(last, action('nextFile'))).toBe(last);
  });

  it('keeps the network state from file to file', () => {
    const waiting = reduceUpload(states.completing, action('networkChanged'));
    expect(reduceUpload(waiting, action('networkChanged'))).toBe(waiting);
    expect(reduceUpload(waiting, action('nextFile'))).toMatchObject({ fileIndex: 1, isWaitingForNetwork: true });
    expect(after('start')).toMatchObject({ isWaitingForNetwork: false });
  });

  it('keeps its progress while it is cancelling', () => {
    expect(states.cancelling).toEqual({ ...uploading, phase: 'cancelling' });
  });

  it('has only its result when done', () => {
    expect(states.done).toEqual({ phase: 'done', ...result });
  });

  it('names the file that failed', () => {
    const second = reduceUpload(states.completing, action('nextFile'));
    expect([states.failed, reduceUpload(second, action('fail'))]).toMatchObject([{ fileName: 'a' }, { fileName: 'b' }]);
  });

  it('counts the bytes of earlier pages separately, from file to file', () => {
    const files = [100, 90, 80].map((size) => ({ name: '', size }));
    const started = reduceUpload(IDLE_UPLOAD, { type: 'start', files, fileIndex: 1 });
    const begun = reduceUpload(started, { type: 'planned', plan: planOfChunks(90, 50) });
    expect([after('start'), begun]).toMatchObject([{ arrivedBytes: 0 }, { arrivedBytes: 100 }]);
    const there = reduceUpload(begun, action('arrivedBefore'));
    expect(there).toMatchObject({ arrivedBytes: 140, parts: [{ step: 'waiting' }, { step: 'reported' }] });
    const next = (['verify', 'complete', 'nextFile'] as const).map(action).reduce(reduceUpload, there);
    expect(next).toMatchObject({ fileIndex: 2, arrivedBytes: 140 });
  });

  it('does not start without a file', () => {
    expect(reduceUpload(IDLE_UPLOAD, { type: 'start', files: [], fileIndex: 0 })).toBe(IDLE_UPLOAD);
  });
});

describe('a part', () => {
  const move = (state: UploadState, step: 'waiting' | 'sent' | 'reported' | 'sending') =>
    reduceUpload(state, {
      type: 'partChanged',
      index: 0,
      part: step === 'sending' ? { step, sentBytes: 5 } : { step },
    });

  it('ignores a late progress event', () => {
    const sent = move(move(uploading, 'sending'), 'sent');
    expect(move(sent, 'sending')).toBe(sent);
    const reported = move(sent, 'reported');
    expect(move(reported, 'sent')).toBe(reported);
  });

  it('goes back to the start for a retry', () => {
    expect(move(move(uploading, 'reported'), 'waiting')).toMatchObject({ parts: [{ step: 'waiting' }, {}] });
  });

  it('does not change other parts, and must exist', () => {
    expect(move(uploading, 'sent')).toMatchObject({ parts: [{ step: 'sent' }, { step: 'waiting' }] });
    expect(reduceUpload(uploading, { type: 'partChanged', index: 2, part: { step: 'sent' } })).toBe(uploading);
  });
});
