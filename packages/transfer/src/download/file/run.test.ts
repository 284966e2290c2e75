import { Failure, type FailureCode } from '@furoshiki/api';
import { describe, expect, it, vi } from 'vitest';
import { always, type FaultPlan, faultsOn } from '../../../testing/faults.ts';
import { expectDownloaded, expectDownloadFailed } from '../../../testing/outcomes.ts';
import { destinationOn } from '../../../testing/fake-disk.ts';
import { createDownloadRig, type DownloadRig } from '../../../testing/download-rig.ts';
import { CHUNK_BYTES, randomBytes } from '../../../testing/rigs.ts';
import { planFetch } from './fetch-plan.ts';
import { downloadProgress } from './machine.ts';

const content = randomBytes(4 * CHUNK_BYTES + 3);

describe('a download', () => {
  it('saves the same bytes, confirms them, and fetches each chunk once', async () => {
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
    ['a lost response to the confirmation of the last download', faultsOn({ confirmDownload: ['drop-after'] })],
  ])('survives %s', async (_, faultOf) => {
    const rig = await createDownloadRig(content, { faultOf });
    await rig.download();
    expectDownloaded(rig, content);
    expect(rig.page.currentDownloads).toBe(1);
  });

  it('retries to open its sink after a network failure, but not after a disk failure', async () => {
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

  it('retries to open its sink if the browser never ends to open it, and closes it if it opens later', async () => {
    const { promise: never, resolve: openLate } = Promise.withResolvers<void>();
    let opened = 0;
    const onOpen = () => {
      opened += 1;
      return opened === 1 ? never : undefined;
    };
    const rig = await createDownloadRig(content, { onOpen });
    await rig.download();
    expectDownloaded(rig, content);
    expect(opened).toBe(2);
    openLate();
    await vi.waitFor(() => expect(rig.disk.outcome).toBe('suspended'));
  });

  it('discards a sink that opens after the user has cancelled', async () => {
    const { promise: never, resolve: openLate } = Promise.withResolvers<void>();
    const rig: DownloadRig = await createDownloadRig(content, {
      onOpen() {
        void rig.engine.cancel();
        return never;
      },
    });
    await rig.download();
    openLate();
    await vi.waitFor(() => expect(rig.disk.outcome).toBe('discarded'));
  });

  it('is complete even if it cannot be confirmed', async () => {
    const rig = await createDownloadRig(content, { faultOf: faultsOn({ confirmDownload: always('break') }) });
    await rig.download();
    expectDownloaded(rig, content, false);
  });

  it('remembers an unconfirmed file until it is confirmed', async () => {
    const faults = always('break').slice(0, 5);
    const rig = await createDownloadRig(content, { faultOf: faultsOn({ confirmDownload: faults }) });
    await rig.download();
    expect([...rig.unconfirmed]).toEqual([rig.page.id]);
    expect(rig.server.files.size).toBe(1);
    await rig.ports.confirmations.resend();
    expect([rig.unconfirmed.size, rig.server.files.size]).toEqual([0, 0]);
  });

  it('writes in order, even if a chunk arrives late', async () => {
    const rig = await createDownloadRig(content, {
      lanes: 4,
      faultOf: faultsOn({ getRange: ['late', undefined, 'drop-before', 'delay'] }),
    });
    await rig.download();
    expectDownloaded(rig, content);
  });

  it('fetches no more chunks ahead than it has lanes', async () => {
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
    const rig = await createDownloadRig(content, { faultOf, format: 1 });
    rig.page.isEncrypted = false;
    const stored = rig.server.files.get(rig.page.id);
    if (stored) stored.sealed = content;
    const download = () => rig.engine.start({ plan: planFetch(rig.page, false), destination: destinationOn(rig.disk) });
    return { ...rig, download };
  };

  it('is one fetch, without a confirmation if the server wants none', async () => {
    const rig = await plainRig();
    await rig.download();
    expectDownloaded(rig, content);
    expect(rig.server.counts.get('getRange')).toBe(1);
    expect(rig.server.counts.has('confirmDownload')).toBe(false);
  });

  it('is fetched three times, 2 and 4 seconds apart', async () => {
    const lucky = await plainRig(faultsOn({ getRange: ['break', 'break'] }));
    await lucky.download();
    expectDownloaded(lucky, content);
    expect(lucky.clock.nowMs()).toBe(6000);

    const unlucky = await plainRig(faultsOn({ getRange: ['break', 'break', 'break'] }));
    await unlucky.download();
    expectDownloadFailed(unlucky, 'STORAGE_ERROR', 'suspended');
    expect(unlucky.server.counts.get('getRange')).toBe(3);
  });

  it.each([
    [1, 'failed', 3],
    [2, 'complete', 66],
  ])('over a line that breaks after %s of 131 bytes has %s after %s requests', async (bytes, phase, requests) => {
    const rig = await plainRig();
    const { storage } = rig.server;
    const { getRange } = storage;
    storage.getRange = (url, start, end, ...rest) => getRange(url, start, Math.min(end, start + bytes), ...rest);
    await rig.download();
    expect(rig.engine.getState().phase).toBe(phase);
    // Attempts that bring less than a hundredth count, so they end.
    expect(rig.server.counts.get('getRange')).toBe(requests);
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

  it('is renewed once for all lanes, and takes no further download', async () => {
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

  it('is renewed again after a failed renewal', async () => {
    const rig = await expiringAt([1], ({ name, nth }) => (name === 'takeGrant' && nth === 2 ? 'break' : undefined));
    await rig.download();
    expectDownloaded(rig, content);
    expect(rig.server.counts.get('takeGrant')).toBe(3);
  });

  it('ends the download if the file is gone by then', async () => {
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
  ])('reports why, saves nothing, and keeps what it has: %s', async (_, faultOf, code) => {
    const rig = await createDownloadRig(content, { faultOf });
    await rig.download();
    expectDownloadFailed(rig, code, 'suspended');
    expect(rig.server.counts.get('confirmDownload')).toBeUndefined();
  });

  it.each([1, 3])(
    'gets every byte once over a line that breaks within each chunk again and again, with %s lanes',
    async (lanes) => {
      const rig = await createDownloadRig(content, { lanes });
      const { storage } = rig.server;
      const { getRange } = storage;
      let requests = 0;
      let received = 0;
      storage.getRange = async (url, start, end, ...rest) => {
        requests += 1;
        // Each chunk of 60 stored bytes needs nine requests: more than all attempts that bring nothing.
        const bytes = await getRange(url, start, Math.min(end, start + 7), ...rest);
        received += bytes.length;
        return bytes;
      };
      const stored = rig.server.files.get(rig.page.id)?.sealed.length;
      const shown: number[] = [];
      rig.engine.subscribe(() => shown.push(downloadProgress(rig.engine.getState())?.loadedBytes ?? 0));
      await rig.download();
      expectDownloaded(rig, content);
      expect(received).toBe(stored);
      expect(requests).toBeGreaterThan(4 * 8);
      // The bar never falls back.
      expect(shown).toEqual(shown.toSorted((a, b) => a - b));
    },
  );

  it('keeps what has arrived when a connection goes silent', async () => {
    const rig = await createDownloadRig(content, { lanes: 1 });
    const { storage } = rig.server;
    const { getRange } = storage;
    const starts: number[] = [];
    storage.getRange = async (url, start, end, onReceived, signal) => {
      starts.push(start);
      if (starts.length !== 1) return getRange(url, start, end, onReceived, signal);
      const bytes = await getRange(url, start, start + 10, onReceived, signal);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return bytes;
    };
    await rig.download();
    expectDownloaded(rig, content);
    expect(starts.slice(0, 3)).toEqual([0, 10, 60]);
  });

  it('makes two more attempts, from the chunk that failed', async () => {
    const faults = [undefined, ...always('break').slice(0, 4), undefined, ...always('break').slice(0, 4)];
    const rig = await createDownloadRig(content, { lanes: 1, faultOf: faultsOn({ getRange: faults }) });
    await rig.download();
    expectDownloaded(rig, content);
    expect(rig.server.counts.get('getRange')).toBe(5 + 8);
    expect(rig.server.counts.get('takeGrant')).toBe(3);
    expect(rig.page.currentDownloads).toBe(1);
  });

  it.each([
    new Failure('DATA_INCOMPLETE'),
    new Failure('CHUNK_SIZE_INVALID'),
    new Failure('STORAGE_ERROR', { status: 404 }),
    new Failure('API_ERROR', { status: 410 }),
  ])('leaves nothing of a file that its store has lost: %o', async (failure) => {
    const faultOf: FaultPlan = ({ name, nth }) => {
      if (name === 'getRange' && nth > 2) throw failure;
      return undefined;
    };
    const rig = await createDownloadRig(content, { lanes: 1, faultOf });
    await rig.download();
    expectDownloadFailed(rig, failure.code, 'discarded');
  });

  it('leaves nothing of a file that cannot be saved', async () => {
    const onWrite = (nth: number) => {
      if (nth === 2) throw new Failure('SAVE_FAILED');
    };
    const rig = await createDownloadRig(content, { lanes: 1, onWrite });
    await rig.download();
    expectDownloadFailed(rig, 'SAVE_FAILED', 'discarded');
  });

  it.each<[FailureCode, (rig: DownloadRig) => void]>([
    ['DOWNLOAD_LIMIT_REACHED', ({ page }) => void (page.currentDownloads = page.maxDownloads)],
    ['NOT_FOUND', ({ server }) => server.files.clear()],
  ])('fails with %s at once and leaves nothing', async (code, prepare) => {
    const rig = await createDownloadRig(content);
    prepare(rig);
    await rig.download();
    expectDownloadFailed(rig, code, 'discarded');
    expect([rig.clock.nowMs(), rig.disk.bytes]).toEqual([0, []]);
  });
});
