import { type FailureCode, sealedRange } from '@furoshiki/core';
import { describe, expect, it } from 'vitest';
import { type Fault, type FaultPlan, faultsOn } from '../../testing/faults.ts';
import { CHUNK_BYTES, createDownloadRig, type DownloadRig, key, randomBytes } from '../../testing/rigs.ts';

const content = randomBytes(4 * CHUNK_BYTES + 3);
const always = (fault: Fault): Fault[] => Array(99).fill(fault);

function expectComplete({ engine, disk }: DownloadRig, confirmed = true): void {
  expect(engine.getState()).toMatchObject({ phase: 'complete', confirmed });
  expect(disk).toEqual({ staged: content, outcome: 'finished' });
}

function expectFailed({ engine, disk }: DownloadRig, code: FailureCode, outcome?: 'discarded'): void {
  expect(engine.getState()).toMatchObject({ phase: 'failed', failure: { code } });
  expect(disk.outcome).toBe(outcome);
}

describe('a download', () => {
  it('hands over the same bytes, confirms them, and asks for each chunk once', async () => {
    const rig = await createDownloadRig(content);
    const phases: string[] = [];
    rig.engine.subscribe(() => phases.push(rig.engine.getState().phase));
    await rig.download();
    expectComplete(rig);
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
    expectComplete(rig);
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
    expectComplete(rig);
    expect(rig.page.currentDownloads).toBe(1);
  });

  it('is complete though nobody could be told', async () => {
    const rig = await createDownloadRig(content, { faultOf: faultsOn({ confirmDownload: always('break') }) });
    await rig.download();
    expectComplete(rig, false);
  });

  it('asks for no confirmation where none is wanted', async () => {
    const rig = await createDownloadRig(content);
    rig.page.isEncrypted = false;
    await rig.download();
    expectComplete(rig);
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
    expectComplete(rig);
    expect(rig.server.counts.get('getRange')).toBe(3 + 5);
    expect(rig.server.counts.get('takeGrant')).toBe(2);
    expect(rig.page.currentDownloads).toBe(1);
  });

  it('is renewed as often as it expires', async () => {
    const rig = await expiringAt([1, 4, 8]);
    await rig.download();
    expectComplete(rig);
    expect(rig.server.counts.get('takeGrant')).toBe(4);
  });

  it('is not given up because one renewal failed', async () => {
    const rig = await expiringAt([1], ({ name, nth }) => (name === 'takeGrant' && nth === 2 ? 'break' : undefined));
    await rig.download();
    expectComplete(rig);
    expect(rig.server.counts.get('takeGrant')).toBe(3);
  });

  it('ends the download where the file is gone by then', async () => {
    const rig = await expiringAt([1]);
    const ended = rig.download();
    await rig.clock.sleep(1, new AbortController().signal);
    rig.server.files.clear();
    await ended;
    expectFailed(rig, 'NOT_FOUND', 'discarded');
  });
});

describe('a storage that lies', () => {
  const tamperings: [string, (sealed: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>][] = [
    ['flips a bit of the last chunk', (sealed) => sealed.with(sealed.length - 1, sealed.at(-1)! ^ 1)],
    ['swaps two chunks', swapFirstTwo],
    ['repeats a chunk', (sealed) => sealed.copyWithin(60, 0, 60)],
    ['cuts a chunk short, so that the rest moves up', (sealed) => withoutByte(sealed, 40)],
  ];

  it.each(tamperings)('and %s is found out at once, and nothing is handed over', async (_, tamper) => {
    const rig = await createDownloadRig(content);
    const stored = rig.server.files.get(rig.page.id);
    if (stored) stored.sealed = tamper(stored.sealed);
    await rig.download();
    expectFailed(rig, 'DECRYPTION_FAILED', 'discarded');
    expect(rig.server.counts.get('confirmDownload')).toBeUndefined();
    expect(rig.clock.nowMs()).toBe(0);
  });

  it('and truncates the file hands nothing over either', async () => {
    const rig = await createDownloadRig(content);
    const stored = rig.server.files.get(rig.page.id);
    if (stored) stored.sealed = stored.sealed.slice(0, -1);
    await rig.download();
    expectFailed(rig, 'NETWORK', 'discarded');
  });

  it.each<[string, Partial<DownloadRig['page']>]>([
    ['another name', { fileName: 'letter.exe' }],
    ['a shorter file, at the edge of a chunk', { fileSize: 4 * CHUNK_BYTES }],
    ['an empty file', { fileSize: 0 }],
    ['chunks of no size', { chunkSize: 0 }],
    ['chunks of less than no size', { chunkSize: -1 }],
    ['more chunks than there can be', { fileSize: 10_000 * CHUNK_BYTES }],
  ])('and a page that names %s hand nothing over', async (_, lie) => {
    const rig = await createDownloadRig(content);
    await rig.engine.start({ file: { ...rig.page, ...lie }, key });
    expect(rig.engine.getState()).toMatchObject({ phase: 'failed', failure: { code: 'DECRYPTION_FAILED' } });
    expect(rig.disk.outcome).not.toBe('finished');
  });
});

function swapFirstTwo(sealed: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const { length } = sealedRange({ fileSize: content.length, chunkSize: CHUNK_BYTES, count: 5 }, 0);
  const first = sealed.slice(0, length);
  sealed.copyWithin(0, length, 2 * length);
  sealed.set(first, length);
  return sealed;
}

function withoutByte(sealed: Uint8Array<ArrayBuffer>, at: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array([...sealed.slice(0, at), ...sealed.slice(at + 1), 0]);
}

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
    expectFailed(rig, code, outcome);
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
    expectFailed(rig, code);
    expect(rig.clock.nowMs()).toBe(0);
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

  it('comes too late once the file is being handed over', async () => {
    const rig: DownloadRig = await createDownloadRig(content, {
      faultOf({ name }) {
        if (name === 'confirmDownload') void rig.engine.cancel();
        return undefined;
      },
    });
    await rig.download();
    expectComplete(rig);
  });
});

describe('start', () => {
  it('is refused while a download runs', async () => {
    const rig = await createDownloadRig(content);
    const ended = rig.download();
    expect(() => rig.download()).toThrowError('running');
    await ended;
    expectComplete(rig);
  });

  it('goes on under the same grant after a failure', async () => {
    const rig = await createDownloadRig(content, {
      faultOf: faultsOn({ getRange: always('break').slice(0, 6) }),
      lanes: 1,
    });
    await rig.download();
    expectFailed(rig, 'STORAGE_ERROR', 'discarded');
    await rig.download();
    expectComplete(rig);
    expect(rig.page.currentDownloads).toBe(1);
  });
});
