import { Failure, type FailureCode } from '@furoshiki/core';
import { describe, expect, it } from 'vitest';
import { always, type FaultPlan, faultsOn } from '../../testing/faults.ts';
import { expectDownloaded, expectDownloadFailed } from '../../testing/outcomes.ts';
import { destinationOn } from '../../testing/fake-disk.ts';
import { createDownloadRig, type DownloadRig } from '../../testing/download-rig.ts';
import { CHUNK_BYTES, randomBytes } from '../../testing/rigs.ts';

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
    expect([rig.engine.getState().phase, rig.disk.outcome]).toEqual(['downloading', 'open']);
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

  it('remembers what it could not tell, until it can', async () => {
    const faults = always('break').slice(0, 5);
    const rig = await createDownloadRig(content, { faultOf: faultsOn({ confirmDownload: faults }) });
    await rig.download();
    expect([...rig.unconfirmed]).toEqual([rig.page.id]);
    expect(rig.server.files.size).toBe(1);
    await rig.ports.confirmations.resend();
    expect([rig.unconfirmed.size, rig.server.files.size]).toEqual([0, 0]);
  });

  it('writes in order, however late a chunk comes', async () => {
    const rig = await createDownloadRig(content, {
      lanes: 4,
      faultOf: faultsOn({ getRange: ['late', undefined, 'drop-before', 'delay'] }),
    });
    await rig.download();
    expectDownloaded(rig, content);
  });

  it('keeps no more chunks ahead than it has lanes', async () => {
    const rig = await createDownloadRig(content, { lanes: 2, faultOf: faultsOn({ getRange: ['delay'] }) });
    const ended = rig.download();
    await rig.clock.sleep(600, new AbortController().signal);
    expect(rig.server.counts.get('getRange')).toBe(2);
    await ended;
    expectDownloaded(rig, content);
  });
});

describe('an unencrypted download', () => {
  const plainRig = async (faultOf: FaultPlan = () => undefined) => {
    const rig = await createDownloadRig(content, { faultOf });
    rig.page.isEncrypted = false;
    const stored = rig.server.files.get(rig.page.id);
    if (stored) stored.sealed = content;
    const download = () =>
      rig.engine.start({ file: { ...rig.page }, key: undefined, destination: destinationOn(rig.disk) });
    return { ...rig, download };
  };

  it('is one fetch, and asks for no confirmation where none is wanted', async () => {
    const rig = await plainRig();
    await rig.download();
    expectDownloaded(rig, content);
    expect(rig.server.counts.get('getRange')).toBe(1);
    expect(rig.server.counts.has('confirmDownload')).toBe(false);
  });

  it('is tried three times, 2 and 4 seconds apart', async () => {
    const lucky = await plainRig(faultsOn({ getRange: ['break', 'break'] }));
    await lucky.download();
    expectDownloaded(lucky, content);
    expect(lucky.clock.nowMs()).toBe(6000);

    const unlucky = await plainRig(faultsOn({ getRange: ['break', 'break', 'break'] }));
    await unlucky.download();
    expectDownloadFailed(unlucky, 'STORAGE_ERROR', 'suspended');
    expect(unlucky.server.counts.get('getRange')).toBe(3);
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
  it.each<[string, FaultPlan, FailureCode]>([
    ['the grant never comes', faultsOn({ takeGrant: always('cut') }), 'TIMEOUT'],
    ['no chunk comes', faultsOn({ getRange: always('drop-before') }), 'NETWORK'],
    ['one chunk never comes whole', ({ name, nth }) => (name === 'getRange' && nth > 4 ? 'cut' : undefined), 'NETWORK'],
    ['every URL is refused', faultsOn({ getRange: always('refuse') }), 'STORAGE_ERROR'],
  ])('says why, hands nothing over, and keeps what it has: %s', async (_, faultOf, code) => {
    const rig = await createDownloadRig(content, { faultOf });
    await rig.download();
    expectDownloadFailed(rig, code, 'suspended');
    expect(rig.server.counts.get('confirmDownload')).toBeUndefined();
  });

  it('tries twice more before it gives up, from the chunk where it ended', async () => {
    const faults = [undefined, ...always('break').slice(0, 4), undefined, ...always('break').slice(0, 4)];
    const rig = await createDownloadRig(content, { lanes: 1, faultOf: faultsOn({ getRange: faults }) });
    await rig.download();
    expectDownloaded(rig, content);
    expect(rig.server.counts.get('getRange')).toBe(5 + 8);
    expect(rig.server.counts.get('takeGrant')).toBe(3);
    expect(rig.page.currentDownloads).toBe(1);
  });

  it.each<[FailureCode, 'discarded' | undefined, (rig: DownloadRig) => void]>([
    ['DOWNLOAD_LIMIT_REACHED', 'discarded', ({ page }) => void (page.currentDownloads = page.maxDownloads)],
    ['NOT_FOUND', 'discarded', ({ server }) => server.files.clear()],
    ['DECRYPTION_FAILED', undefined, ({ page }) => void delete page.salt],
    ['FILE_EMPTY', undefined, ({ page }) => void (page.fileSize = 0)],
  ])('fails with %s at once and leaves nothing', async (code, outcome, prepare) => {
    const rig = await createDownloadRig(content);
    prepare(rig);
    await rig.download();
    expectDownloadFailed(rig, code, outcome);
    expect([rig.clock.nowMs(), rig.disk.bytes]).toEqual([0, []]);
  });
});

describe('a download that is gone on with', () => {
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

  it('waits for the network, however long that takes', async () => {
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
