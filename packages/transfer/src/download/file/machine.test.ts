import { Failure } from '@furoshiki/api';
import { planOfChunks } from '@furoshiki/format';
import { describe, expect, it } from 'vitest';
import { type DownloadAction, type DownloadState, IDLE_DOWNLOAD, reduceDownload } from './machine.ts';

const file = { fileName: 'a', isEncrypted: true, ...planOfChunks(100, 50) };
const actions = {
  start: { type: 'start', file },
  receive: { type: 'receive', firstIndex: 0 },
  chunkChanged: { type: 'chunkChanged', index: 0, chunk: { step: 'receiving', receivedBytes: 9 } },
  finish: { type: 'finish' },
  complete: { type: 'complete' },
  confirmed: { type: 'confirmed' },
  cancel: { type: 'cancel' },
  fail: { type: 'fail', failure: new Failure('NETWORK') },
} satisfies Record<DownloadAction['type'], DownloadAction>;
const written = (index: number): DownloadAction => ({ type: 'chunkChanged', index, chunk: { step: 'written' } });
const after = (...taken: DownloadAction[]) => taken.reduce(reduceDownload, IDLE_DOWNLOAD);

const downloading = after(actions.start, actions.receive);
const finishing = after(actions.start, actions.receive, written(0), written(1), actions.finish);
const states: Record<DownloadState['phase'], DownloadState> = {
  idle: IDLE_DOWNLOAD,
  starting: after(actions.start),
  downloading,
  finishing,
  complete: reduceDownload(finishing, actions.complete),
  cancelled: after(actions.start, actions.cancel),
  failed: after(actions.start, actions.fail),
};

/** Which actions each phase accepts, and the next phase. All others leave the state unchanged. */
const transitions: Record<DownloadState['phase'], Partial<Record<DownloadAction['type'], DownloadState['phase']>>> = {
  idle: { start: 'starting' },
  starting: { receive: 'downloading', cancel: 'cancelled', fail: 'failed' },
  downloading: { chunkChanged: 'downloading', cancel: 'cancelled', fail: 'failed' },
  finishing: { complete: 'complete', fail: 'failed' },
  complete: { start: 'starting', confirmed: 'complete' },
  cancelled: { start: 'starting' },
  failed: { start: 'starting' },
};

const phases = Object.keys(states) as DownloadState['phase'][];

describe('a download', () => {
  describe.each(phases)('%s', (phase) => {
    it('is the state that the table begins with', () => expect(states[phase].phase).toBe(phase));

    it.each(Object.values(actions))('accepts $type or ignores it', (action) => {
      const before = states[phase];
      const next = reduceDownload(before, action);
      const target = transitions[phase][action.type];
      expect([next.phase, next === before]).toEqual([target ?? phase, target === undefined]);
    });
  });

  it('does not finish before every chunk is written', () => {
    const oneMissing = reduceDownload(downloading, written(1));
    expect(reduceDownload(oneMissing, actions.finish)).toBe(oneMissing);
  });

  it('keeps a chunk written despite a late progress event', () => {
    const first = reduceDownload(downloading, written(0));
    expect(reduceDownload(first, actions.chunkChanged)).toBe(first);
  });

  it('sets a chunk back to the start for a retry, if it exists', () => {
    const begun = reduceDownload(downloading, actions.chunkChanged);
    const again = reduceDownload(begun, { type: 'chunkChanged', index: 0, chunk: { step: 'waiting' } });
    expect(again).toEqual(downloading);
    expect(reduceDownload(downloading, written(2))).toBe(downloading);
  });

  it('is complete before the server has confirmed it', () => {
    expect(states.complete).toEqual({ phase: 'complete', file: { ...file, arrivedBytes: 0 }, confirmed: false });
    expect(reduceDownload(states.complete, actions.confirmed)).toMatchObject({ confirmed: true });
  });

  it('resumes after the chunks that are written', () => {
    const resumed = after(actions.start, { ...actions.receive, firstIndex: 1 });
    expect(resumed).toMatchObject({ file: { arrivedBytes: 50 }, chunks: [{ step: 'written' }, { step: 'waiting' }] });
    const finished = [written(1), actions.finish].reduce(reduceDownload, resumed);
    expect(finished).toMatchObject({ phase: 'finishing', file: { arrivedBytes: 50 } });
  });

  it('counts no more arrived bytes than the file has', () => {
    const short = { fileName: 'a', isEncrypted: true, ...planOfChunks(70, 50) };
    const whole = after({ type: 'start', file: short }, { type: 'receive', firstIndex: 2 });
    expect(whole).toMatchObject({ file: { arrivedBytes: 70 }, chunks: [{ step: 'written' }, { step: 'written' }] });
  });
});
