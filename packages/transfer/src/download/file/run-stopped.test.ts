import { Failure } from '@furoshiki/api';
import { describe, expect, it } from 'vitest';
import { always, type FaultPlan, faultsOn } from '../../../testing/faults.ts';
import { expectDownloaded, expectDownloadFailed } from '../../../testing/outcomes.ts';
import { createDownloadRig, type DownloadRig } from '../../../testing/download-rig.ts';
import { CHUNK_BYTES, randomBytes } from '../../../testing/rigs.ts';

const content = randomBytes(4 * CHUNK_BYTES + 3);

describe('a download that is resumed', () => {
  it.each([1, 3, 5])('fetches only what is missing after %d chunks', async (there) => {
    const rig = await createDownloadRig(content);
    rig.disk.bytes = Array.from(content.slice(0, there * CHUNK_BYTES));
    await rig.download();
    expectDownloaded(rig, content);
    expect(rig.server.counts.get('getRange') ?? 0).toBe(5 - there);
  });

  it('is kept when the page is left', async () => {
    const rig = await createDownloadRig(content, { lanes: 1, faultOf: faultsOn({ getRange: [undefined, 'hang'] }) });
    const ended = rig.download();
    await rig.clock.sleep(1, new AbortController().signal);
    void rig.engine.cancel('keep');
    await ended;
    expect([rig.engine.getState().phase, rig.disk.outcome]).toEqual(['cancelled', 'suspended']);
    await rig.download();
    expectDownloaded(rig, content);
    expect(rig.server.counts.get('getRange')).toBe(6);
  });

  it('waits for the network as long as necessary', async () => {
    const rig: DownloadRig = await createDownloadRig(content, {
      faultOf({ name, nth }) {
        if (name === 'getRange' && nth === 2) rig.network.pull();
        return undefined;
      },
    });
    const ended = rig.download();
    await rig.clock.sleep(3_600_000, new AbortController().signal);
    expect(rig.engine.getState().phase).toBe('downloading');
    rig.network.plug();
    await ended;
    expectDownloaded(rig, content);
  });

  it.each([
    ['takeGrant', 'starting'],
    ['getRange', 'downloading'],
  ])('waits at %s for a server without storage', async (at, phase) => {
    const rig: DownloadRig = await createDownloadRig(content, {
      faultOf({ name, nth }) {
        if (name !== at || nth > 1) return undefined;
        rig.server.isReady = false;
        return 'break';
      },
    });
    const ended = rig.download();
    await rig.clock.sleep(3_600_000, new AbortController().signal);
    expect(rig.engine.getState().phase).toBe(phase);
    rig.server.isReady = true;
    await ended;
    expectDownloaded(rig, content);
  });
});

describe('a disk that refuses the file', () => {
  const full = () => {
    throw new Failure('SAVE_FAILED');
  };

  it('fails the download and confirms nothing', async () => {
    const rig = await createDownloadRig(content, { onFinish: full });
    await rig.download();
    expectDownloadFailed(rig, 'SAVE_FAILED', 'discarded');
    expect(rig.server.counts.has('confirmDownload')).toBe(false);
  });

  it('is reported, even if the user cancelled too late', async () => {
    const rig: DownloadRig = await createDownloadRig(content, {
      onFinish() {
        void rig.engine.cancel();
        full();
      },
    });
    await rig.download();
    expectDownloadFailed(rig, 'SAVE_FAILED', 'discarded');
  });
});

describe('cancel', () => {
  it.each<[Parameters<FaultPlan>[0]['name'], number]>([
    ['takeGrant', 1],
    ['getRange', 1],
    ['getRange', 5],
  ])('at %s %d removes what was staged', async (at, nth) => {
    let cancelled: Promise<void> | undefined;
    const rig: DownloadRig = await createDownloadRig(content, {
      faultOf({ name, nth: current }) {
        if (name === at && current === nth) cancelled = rig.engine.cancel();
        return undefined;
      },
    });
    await rig.download();
    await cancelled;
    expect(rig.engine.getState()).toEqual({ phase: 'cancelled' });
    expect(rig.disk.outcome).toBe('discarded');
    expect(rig.server.files.size).toBe(1);
  });

  it('works from the first state on', async () => {
    const rig = await createDownloadRig(content);
    rig.engine.subscribe(() => void rig.engine.cancel());
    await rig.download();
    expect(rig.engine.getState().phase).toBe('cancelled');
    expect(rig.server.counts.size).toBe(0);
  });

  it('changes the state at once and aborts requests that hang', async () => {
    const rig = await createDownloadRig(content, { faultOf: faultsOn({ getRange: ['hang', 'drop-before', 'hang'] }) });
    const ended = rig.download();
    await rig.clock.sleep(100, new AbortController().signal);
    void rig.engine.cancel();
    expect(rig.engine.getState().phase).toBe('cancelled');
    await ended;
    expect(rig.disk.outcome).toBe('discarded');
    expect(rig.clock.nowMs()).toBe(100);
  });

  it.each([...Array(12).keys()])('%d microtasks after the last chunk either discards or saves', async (turns) => {
    const rig = await createDownloadRig(content);
    const cancelIn = (left: number): void =>
      left === 0 ? void rig.engine.cancel() : queueMicrotask(() => cancelIn(left - 1));
    rig.engine.subscribe(() => {
      const state = rig.engine.getState();
      if (state.phase === 'downloading' && state.chunks.every(({ step }) => step === 'written')) cancelIn(turns);
    });
    await rig.download();
    const end = [rig.engine.getState().phase, rig.disk.outcome];
    expect([
      ['cancelled', 'discarded'],
      ['complete', 'finished'],
    ]).toContainEqual(end);
  });

  it('comes too late once the file is being saved', async () => {
    const rig: DownloadRig = await createDownloadRig(content, {
      faultOf({ name }) {
        if (name === 'confirmDownload') void rig.engine.cancel();
        return undefined;
      },
    });
    await rig.download();
    expectDownloaded(rig, content);
  });
});

describe('start', () => {
  it('is refused while a download runs', async () => {
    const rig = await createDownloadRig(content);
    const ended = rig.download();
    expect(() => rig.download()).toThrowError('running');
    await ended;
    expectDownloaded(rig, content);
  });

  it('continues under the same grant after a failure', async () => {
    const rig = await createDownloadRig(content, {
      faultOf: faultsOn({ getRange: always('break').slice(0, 12) }),
      lanes: 1,
    });
    await rig.download();
    expectDownloadFailed(rig, 'STORAGE_ERROR', 'suspended');
    await rig.download();
    expectDownloaded(rig, content);
    expect(rig.page.currentDownloads).toBe(1);
  });
});
