import { Failure, type FailureCode } from '@furoshiki/core';
import { describe, expect, it } from 'vitest';
import { always, type FaultPlan, faultsOn } from '../../testing/faults.ts';
import { expectDownloaded, expectDownloadFailed } from '../../testing/outcomes.ts';
import { CHUNK_BYTES, createDownloadRig, type DownloadRig, randomBytes } from '../../testing/rigs.ts';

const content = randomBytes(4 * CHUNK_BYTES + 3);

describe('a download', () => {
  it('hands over the same bytes, confirms them, and asks for each chunk once', async () => {
    const rig = await createDownloadRig(content);
    const phases: string[] = [];
    rig.engine.subscribe(() => phases.push(rig.engine.getState().phase));
    await rig.download();
    expectDownloaded(rig, content);
    expect([...new Set(phases)]).toEqual(['starting', 'downloading', 'finishing', 'complete']);
    expect(rig.server.counts).toEqual(
      new Map([
        ['takeGrant', 1],
        ['getRange', 5],
        ['confirmDownload', 1],
      ]),
    );
    expect(rig.server.files.size).toBe(0);
  });

  it('finishes only after the last chunk', async () => {
    const rig = await createDownloadRig(content, { faultOf: faultsOn({ getRange: ['delay'] }) });
    const ended = rig.download();
    await rig.clock.sleep(600, new AbortController().signal);
    expect([rig.engine.getState().phase, rig.disk.outcome]).toEqual(['downloading', 'staged']);
    await ended;
    expectDownloaded(rig, content);
  });

  it.each<[string, FaultPlan]>([
    ['no grant at first', faultsOn({ takeGrant: ['drop-before', 'break', 'drop-after'] })],
    ['dropped chunks', faultsOn({ getRange: ['drop-before', 'drop-after', 'drop-before'] })],
    ['a chunk cut short', faultsOn({ getRange: ['cut', 'cut'] })],
    ['a storage that is down for a while', faultsOn({ getRange: ['break', 'break', 'break'] })],
    ['a lost confirmation', faultsOn({ confirmDownload: ['drop-before'] })],
    ['a lost answer to the confirmation that used the file up', faultsOn({ confirmDownload: ['drop-after'] })],
  ])('survives %s', async (_, faultOf) => {
    const rig = await createDownloadRig(content, { faultOf });
    await rig.download();
    expectDownloaded(rig, content);
    expect(rig.page.currentDownloads).toBe(1);
  });

  it('opens its receiver again where the network failed it, and not where the disk did', async () => {
    let opened = 0;
    const failing = (code: FailureCode) => () => {
      opened += 1;
      if (opened < 3) throw new Failure(code);
    };
    const offline = await createDownloadRig(content, { onOpen: failing('NETWORK') });
    await offline.download();
    expectDownloaded(offline, content);
    expect(opened).toBe(3);

    opened = 0;
    const full = await createDownloadRig(content, { onOpen: failing('SAVE_FAILED') });
    await full.download();
    expectDownloadFailed(full, 'SAVE_FAILED');
    expect(opened).toBe(1);
  });

  it('is complete though nobody could be told', async () => {
    const rig = await createDownloadRig(content, { faultOf: faultsOn({ confirmDownload: always('break') }) });
    await rig.download();
    expectDownloaded(rig, content, false);
  });

  it('asks for no confirmation where none is wanted', async () => {
    const rig = await createDownloadRig(content);
    rig.page.isEncrypted = false;
    await rig.download();
    expectDownloaded(rig, content);
    expect(rig.server.counts.has('confirmDownload')).toBe(false);
  });
});

describe('a URL that expires', () => {
  const expiringAt = async (nths: number[], faults: FaultPlan = () => undefined) => {
    const rig: DownloadRig = await createDownloadRig(content, {
      faultOf(operation) {
        if (operation.name === 'getRange' && nths.includes(operation.nth)) rig.server.expireUrls();
        return faults(operation);
      },
    });
    return rig;
  };

  it('is renewed once for all lanes, and spends nothing', async () => {
    const rig = await expiringAt([1]);
    await rig.download();
    expectDownloaded(rig, content);
    expect(rig.server.counts.get('getRange')).toBe(3 + 5);
    expect(rig.server.counts.get('takeGrant')).toBe(2);
    expect(rig.page.currentDownloads).toBe(1);
  });

  it('is renewed as often as it expires', async () => {
    const rig = await expiringAt([1, 4, 8]);
    await rig.download();
    expectDownloaded(rig, content);
    expect(rig.server.counts.get('takeGrant')).toBe(4);
  });

  it('is not given up because one renewal failed', async () => {
    const rig = await expiringAt([1], ({ name, nth }) => (name === 'takeGrant' && nth === 2 ? 'break' : undefined));
    await rig.download();
    expectDownloaded(rig, content);
    expect(rig.server.counts.get('takeGrant')).toBe(3);
  });

  it('ends the download where the file is gone by then', async () => {
    const rig = await expiringAt([1]);
    const ended = rig.download();
    await rig.clock.sleep(1, new AbortController().signal);
    rig.server.files.clear();
    await ended;
    expectDownloadFailed(rig, 'NOT_FOUND', 'discarded');
  });
});

describe('a download that fails', () => {
  it.each<[string, FaultPlan, FailureCode, 'discarded' | undefined]>([
    ['the grant never comes', faultsOn({ takeGrant: always('cut') }), 'TIMEOUT', undefined],
    ['no chunk comes', faultsOn({ getRange: always('drop-before') }), 'NETWORK', 'discarded'],
    [
      'one chunk never comes whole',
      ({ name, nth }) => (name === 'getRange' && nth > 4 ? 'cut' : undefined),
      'NETWORK',
      'discarded',
    ],
    ['every URL is refused', faultsOn({ getRange: always('refuse') }), 'STORAGE_ERROR', 'discarded'],
  ])('says why and hands nothing over: %s', async (_, faultOf, code, outcome) => {
    const rig = await createDownloadRig(content, { faultOf });
    await rig.download();
    expectDownloadFailed(rig, code, outcome);
    expect(rig.server.counts.get('confirmDownload')).toBeUndefined();
  });

  it.each<[FailureCode, (rig: DownloadRig) => void]>([
    ['DOWNLOAD_LIMIT_REACHED', ({ page }) => void (page.currentDownloads = page.maxDownloads)],
    ['NOT_FOUND', ({ server }) => server.files.clear()],
    ['UNKNOWN', ({ page }) => void delete page.salt],
  ])('fails with %s before anything is staged', async (code, prepare) => {
    const rig = await createDownloadRig(content);
    prepare(rig);
    await rig.download();
    expectDownloadFailed(rig, code);
    expect(rig.clock.nowMs()).toBe(0);
  });
});

describe('a disk that does not take the file', () => {
  const full = () => {
    throw new Failure('SAVE_FAILED');
  };

  it('fails the download and confirms nothing', async () => {
    const rig = await createDownloadRig(content, { onFinish: full });
    await rig.download();
    expectDownloadFailed(rig, 'SAVE_FAILED', 'discarded');
    expect(rig.server.counts.has('confirmDownload')).toBe(false);
  });

  it('is told of, also to who cancelled too late', async () => {
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
  it.each<[Parameters<FaultPlan>[0]['name'], number, 'discarded' | undefined]>([
    ['takeGrant', 1, undefined],
    ['getRange', 1, 'discarded'],
    ['getRange', 5, 'discarded'],
  ])('at %s %d removes what was staged', async (at, nth, outcome) => {
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
    expect(rig.disk.outcome).toBe(outcome);
    expect(rig.server.files.size).toBe(1);
  });

  it('may come with the very first state', async () => {
    const rig = await createDownloadRig(content);
    rig.engine.subscribe(() => void rig.engine.cancel());
    await rig.download();
    expect(rig.engine.getState().phase).toBe('cancelled');
    expect(rig.server.counts.size).toBe(0);
  });

  it('says so at once and cuts what hangs', async () => {
    const rig = await createDownloadRig(content, { faultOf: faultsOn({ getRange: ['hang', 'drop-before', 'hang'] }) });
    const ended = rig.download();
    await rig.clock.sleep(100, new AbortController().signal);
    void rig.engine.cancel();
    expect(rig.engine.getState().phase).toBe('cancelled');
    await ended;
    expect(rig.disk.outcome).toBe('discarded');
    expect(rig.clock.nowMs()).toBe(100);
  });

  it.each([...Array(12).keys()])('%d turns after the last chunk either discards or hands over', async (turns) => {
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

  it('comes too late once the file is being handed over', async () => {
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

  it('goes on under the same grant after a failure', async () => {
    const rig = await createDownloadRig(content, {
      faultOf: faultsOn({ getRange: always('break').slice(0, 6) }),
      lanes: 1,
    });
    await rig.download();
    expectDownloadFailed(rig, 'STORAGE_ERROR', 'discarded');
    await rig.download();
    expectDownloaded(rig, content);
    expect(rig.page.currentDownloads).toBe(1);
  });
});
