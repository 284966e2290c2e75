import { type EndpointName, Failure, type FailureCode } from '@furoshiki/api';
import { GB } from '@furoshiki/format';
import { describe, expect, it } from 'vitest';
import { always, type FaultPlan, faultsOn } from '../../testing/faults.ts';
import { expectNothingLeft, expectUploaded, expectUploadFailed } from '../../testing/outcomes.ts';
import { CHUNK_BYTES, createUploadRig, key, randomBytes, sourceOf, type UploadRig } from '../../testing/rigs.ts';

const content = randomBytes(3 * CHUNK_BYTES + 5);
const contents = [content, randomBytes(1), randomBytes(CHUNK_BYTES)];

describe('a fault that stays', () => {
  it.each<[string, FaultPlan, FailureCode]>([
    ['no PUT passes', faultsOn({ put: always('drop-before') }), 'NETWORK'],
    ['the storage refuses every URL', faultsOn({ put: always('refuse') }), 'STORAGE_ERROR'],
    [
      'the second file cannot be opened',
      ({ name, nth }) => (name === 'initUpload' && nth > 1 ? 'break' : undefined),
      'INTERNAL',
    ],
    [
      'the third file is refused',
      ({ name, nth }) => (name === 'put' && nth > 5 ? 'break' : undefined),
      'STORAGE_ERROR',
    ],
    ['no part notice arrives', faultsOn({ completePart: always('drop-before') }), 'NETWORK'],
    ['no part notice gets a response', faultsOn({ completePart: always('drop-after') }), 'NETWORK'],
    ['no status call gets a response', faultsOn({ uploadStatus: always('cut') }), 'TIMEOUT'],
    ['the completion does not arrive', faultsOn({ completeUpload: always('drop-before') }), 'NETWORK'],
    ['the completion times out', faultsOn({ completeUpload: always('drop-after').slice(0, 75) }), 'NETWORK'],
  ])('ends the upload and leaves nothing on the server: %s', async (_, faultOf, code) => {
    const rig = createUploadRig({ faultOf });
    await rig.upload(...contents);
    expectUploadFailed(rig, code);
  });

  it('abandons the files after the one that failed', async () => {
    const rig = createUploadRig({ faultOf: faultsOn({ put: always('drop-before') }) });
    await rig.upload(...Array.from({ length: 40 }, () => randomBytes(1)));
    // As many as are in progress at once.
    expect(rig.server.counts.get('initUpload')).toBe(16);
    expectNothingLeft(rig.server);
  });

  it('deletes the files before it without completing them again', async () => {
    const rig = createUploadRig({
      faultOf: ({ name, nth }) => (name === 'initUpload' && nth > 1 ? 'break' : undefined),
    });
    await rig.upload(...contents);
    const { counts } = rig.server;
    expect([counts.get('deleteFile'), counts.get('completeUpload'), counts.get('cancelUpload')]).toEqual([
      1,
      1,
      undefined,
    ]);
  });

  it('sends a part four times, waiting 2, 4 and 8 seconds', async () => {
    const rig = createUploadRig({ faultOf: faultsOn({ put: always('drop-before') }), lanes: 1 });
    await rig.upload(randomBytes(1));
    expect(rig.server.counts.get('put')).toBe(4);
    expect(rig.clock.nowMs()).toBe(14_000);
  });

  it('fails with the first error if its cleanup fails too', async () => {
    const faults = { put: always('drop-before'), cancelUpload: always('break'), deleteFile: always('break') };
    const rig = createUploadRig({ faultOf: faultsOn(faults) });
    await rig.upload(content);
    expect(rig.engine.getState()).toMatchObject({ phase: 'failed', failure: { code: 'NETWORK' } });
  });

  it('fails with FILE_UNREADABLE, without a retry, if the file has shrunk', async () => {
    const rig = createUploadRig({ lanes: 1 });
    const file = { name: 'shrunk', size: content.length, contentType: '', source: sourceOf(content.slice(0, -1)) };
    await rig.engine.start({ files: [file], key, downloadLimit: 1, retentionDays: 1 });
    expectUploadFailed(rig, 'FILE_UNREADABLE');
    expect(rig.clock.nowMs()).toBe(0);
  });

  it.each([
    ['the part count does not match the chunk size', { totalParts: 5 }, 'API_ERROR'],
    ['chunks would have no bytes', { chunkSize: 0 }, 'CHUNK_SIZE_INVALID'],
    ['a chunk may not fit into memory', { chunkSize: GB, totalParts: 1 }, 'CHUNK_SIZE_INVALID'],
  ] as const)('fails and cleans up if, by the response of the server, %s', async (_, lie, code) => {
    const rig = createUploadRig();
    const { call } = rig.server.api;
    rig.server.api.call = async (name, input, signal) => {
      const response = await call(name, input, signal);
      return name === 'initUpload' ? { ...response, ...lie } : response;
    };
    await rig.upload(content);
    expectUploadFailed(rig, code);
  });
});

describe('a server that refuses the parts it lists', () => {
  it('is called to complete four times, with waits between', async () => {
    const rig = createUploadRig();
    const { call } = rig.server.api;
    let completions = 0;
    rig.server.api.call = async (name, input, signal) => {
      if (name !== 'completeUpload') return call(name, input, signal);
      completions += 1;
      throw new Failure('PART_MISMATCH');
    };
    await rig.upload(content);
    expectUploadFailed(rig, 'PART_MISMATCH');
    // The fifth comes from the cleanup, which checks whether the file is complete.
    expect([completions, rig.clock.nowMs()]).toEqual([5, 14_000]);
  });
});

describe('cancel', () => {
  /** An upload that is cancelled just before the nth operation of a name. */
  function cancelledAt(at: Parameters<FaultPlan>[0]['name'], nth: number, faults: FaultPlan = () => undefined) {
    let cancelled: Promise<void> | undefined;
    const rig: UploadRig = createUploadRig({
      faultOf(operation) {
        if (operation.name === at && operation.nth === nth) cancelled = rig.engine.cancel();
        return faults(operation);
      },
    });
    return { rig, cancelled: () => cancelled };
  }

  it.each<[Parameters<FaultPlan>[0]['name'], number]>([
    ['initUpload', 1],
    ['presignPart', 1],
    ['put', 2],
    ['completePart', 1],
    ['uploadStatus', 1],
    ['completeUpload', 1],
    ['initUpload', 2],
    ['put', 5],
    ['completeUpload', 3],
    ['groupFiles', 1],
  ])('at %s %d changes the state at once and leaves nothing on the server', async (at, nth) => {
    const { rig, cancelled } = cancelledAt(at, nth);
    const seen: string[] = [];
    rig.engine.subscribe(() => seen.push(rig.engine.getState().phase));
    await rig.upload(...contents);
    await cancelled();
    expect(rig.engine.getState()).toEqual({ phase: 'cancelled' });
    expect(seen.slice(seen.indexOf('cancelling'))).toEqual(['cancelling', 'cancelled']);
    expectNothingLeft(rig.server);
    expect([rig.clock.nowMs(), rig.clock.sleeping()]).toEqual([0, 0]);
  });

  it.each<EndpointName>(['initUpload', 'completeUpload', 'groupFiles'])(
    'before the response of %s arrives leaves nothing on the server',
    async (name) => {
      const rig = createUploadRig({ faultOf: faultsOn({ [name]: ['late'] }) });
      const ended = rig.upload(content);
      await rig.clock.sleep(100, new AbortController().signal);
      await rig.engine.cancel();
      await ended;
      expect(rig.engine.getState().phase).toBe('cancelled');
      expectNothingLeft(rig.server);
    },
  );

  it('works from the first state on', async () => {
    const rig = createUploadRig();
    rig.engine.subscribe(() => void rig.engine.cancel());
    await rig.upload(content);
    expect(rig.engine.getState().phase).toBe('cancelled');
    expect(rig.server.counts.size).toBe(0);
  });

  it('aborts requests that hang', async () => {
    const rig = createUploadRig({ faultOf: faultsOn({ put: ['hang', 'hang', 'hang'] }) });
    const ended = rig.upload(content);
    await rig.clock.sleep(1, new AbortController().signal);
    await rig.engine.cancel();
    await ended;
    expect(rig.engine.getState().phase).toBe('cancelled');
    expectNothingLeft(rig.server);
  });

  it('ends a wait between two attempts', async () => {
    const rig = createUploadRig({ faultOf: faultsOn({ put: always('drop-before') }) });
    const ended = rig.upload(content);
    await rig.clock.sleep(1000, new AbortController().signal);
    await rig.engine.cancel();
    await ended;
    expect(rig.clock.nowMs()).toBe(1000);
    expectNothingLeft(rig.server);
  });

  it('waits three seconds for the cleanup at most', async () => {
    const { rig, cancelled } = cancelledAt('put', 1, faultsOn({ cancelUpload: ['hang'] }));
    void rig.upload(content);
    await rig.clock.sleep(1, new AbortController().signal);
    expect(rig.engine.getState().phase).toBe('cancelling');
    await cancelled();
    expect(rig.engine.getState().phase).toBe('cancelled');
    expect(rig.clock.nowMs()).toBe(3000);
  });

  it('lets the next upload start, unaffected by late events of this one', async () => {
    const faults = faultsOn({ initUpload: ['delay', 'delay'], cancelUpload: always('break') });
    const rig = createUploadRig({ faultOf: faults });
    const first = rig.upload(content);
    await rig.engine.cancel();
    await rig.upload(content);
    await first;
    expect(rig.engine.getState()).toMatchObject({ phase: 'done' });
  });

  it('does nothing if nothing runs', async () => {
    const rig = createUploadRig();
    await rig.engine.cancel();
    expect(rig.engine.getState().phase).toBe('idle');
    await rig.upload(content);
    await rig.engine.cancel();
    await expectUploaded(rig, [content]);
  });
});
