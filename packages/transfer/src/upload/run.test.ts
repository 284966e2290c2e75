import { type EndpointName, type FailureCode, keyFits } from '@furoshiki/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Fault, type FaultPlan, faultsOn } from '../../testing/faults.ts';
import {
  CHUNK_BYTES,
  createUploadRig,
  key,
  openStored,
  randomBytes,
  subtle,
  type UploadRig,
} from '../../testing/rigs.ts';
import type { UploadState } from './machine.ts';

const contents = [randomBytes(3 * CHUNK_BYTES + 5), randomBytes(1), randomBytes(CHUNK_BYTES)];
const [content = randomBytes(1)] = contents;
const always = (fault: Fault): Fault[] => Array(99).fill(fault);

async function expectUploaded({ engine, server }: UploadRig, uploaded = contents): Promise<void> {
  const state = engine.getState();
  if (state.phase !== 'done') throw new Error(`ended as ${state.phase}`, { cause: state });
  expect(state.fileIds).toEqual([...server.files.keys()]);
  expect(await Promise.all([...server.files.values()].map(openStored))).toEqual(uploaded);
}

function expectFailed({ engine, server }: UploadRig, code: FailureCode): void {
  expect(engine.getState()).toMatchObject({ phase: 'failed', failure: { code } });
  expectNothingLeft(server);
}

function expectNothingLeft({ uploads, files }: UploadRig['server']): void {
  expect([...files.keys()]).toEqual([]);
  expect([...uploads.values()].filter((upload) => !upload.completion)).toEqual([]);
}

describe('an upload of several files', () => {
  let rig: UploadRig;
  const seen: UploadState[] = [];
  beforeEach(async () => {
    rig = createUploadRig();
    seen.length = 0;
    rig.engine.subscribe(() => seen.push(rig.engine.getState()));
    await rig.upload(...contents);
  });

  it('leaves on the server what opens to the same bytes, on one page, in order', async () => {
    await expectUploaded(rig);
    const fileIds = [...rig.server.files.keys()];
    expect([...rig.server.pages]).toEqual([[expect.any(String), fileIds]]);
    const [pageID] = rig.server.pages.keys();
    expect(rig.engine.getState()).toEqual({ phase: 'done', pageID, fileIds, grouped: true });
  });

  it('gives each file a salt of its own and a check that fits the key', async () => {
    const pages = [...rig.server.files.values()].map(({ page }) => page);
    expect(new Set(pages.map(({ salt }) => salt)).size).toBe(3);
    for (const { salt = '', keyCheck = '' } of pages) expect(await keyFits(subtle, key, salt, keyCheck)).toBe(true);
  });

  it('goes through its phases file by file', () => {
    const phases = seen.map((state) => ('fileIndex' in state ? `${state.phase} ${state.fileIndex}` : state.phase));
    const steps = phases.filter((phase, index) => phase !== phases[index - 1]);
    const ofFile = (index: number) => [`uploading ${index}`, `verifying ${index}`, `completing ${index}`];
    expect(steps).toEqual([...ofFile(0), ...ofFile(1), ...ofFile(2), 'done']);
  });

  it('sends each part once, when nothing fails', () => {
    expect(rig.server.counts.get('put')).toBe(6);
    expect(rig.clock.nowMs()).toBe(0);
  });

  it('tells the server its own plan of parts', () => {
    const inits = [...rig.server.uploads.values()].map(({ init }) => init);
    expect(inits.map(({ totalParts }) => totalParts)).toEqual([1, 1, 1]);
    expect(inits[0]).toMatchObject({ fileName: 'file 1.bin', retentionPeriod: 1, downloadLimit: 5, isEncrypted: true });
  });
});

describe('a fault that passes', () => {
  it.each<[string, FaultPlan]>([
    ['a dropped PUT', faultsOn({ put: ['drop-before', 'drop-before'] })],
    ['a PUT whose answer is lost', faultsOn({ put: ['drop-after'] })],
    ['a PUT cut short', faultsOn({ put: ['cut'] })],
    ['a storage that is down for a while', faultsOn({ put: ['break', 'break', 'break'] })],
    ['a URL that cannot be had at first', faultsOn({ presignPart: ['break', 'cut', 'drop-after'] })],
    ['a lost answer of initUpload', faultsOn({ initUpload: ['drop-after'] })],
    ['a lost answer of completePart', faultsOn({ completePart: ['drop-after', 'drop-after', 'drop-after'] })],
    ['a lost answer of uploadStatus', faultsOn({ uploadStatus: ['drop-after'] })],
    ['a lost answer of completeUpload', faultsOn({ completeUpload: ['drop-after', 'drop-after', 'drop-after'] })],
    ['a lost answer of groupFiles', faultsOn({ groupFiles: ['drop-after'] })],
    ['three retries of every step', faultsOn({ put: always('break').slice(0, 3), groupFiles: ['cut', 'cut', 'cut'] })],
  ])('does no harm: %s', async (_, faultOf) => {
    const rig = createUploadRig({ faultOf, lanes: 1 });
    await rig.upload(...contents);
    await expectUploaded(rig);
    expect(rig.engine.getState()).toMatchObject({ grouped: true });
  });

  it('gets a fresh URL for a part whose URL has expired', async () => {
    const rig: UploadRig = createUploadRig({
      lanes: 1,
      faultOf({ name, nth }) {
        if (name === 'put' && nth === 2) rig.server.expireUrls();
        return undefined;
      },
    });
    await rig.upload(content);
    await expectUploaded(rig, [content]);
    expect(rig.server.counts.get('presignPart')).toBe(5);
  });

  it('does not send the bytes again when only the notice was lost', async () => {
    const rig = createUploadRig({ faultOf: faultsOn({ completePart: ['drop-before', 'drop-after'] }) });
    await rig.upload(content);
    expect(rig.server.counts.get('put')).toBe(4);
  });
});

describe('verification', () => {
  const loseParts = (when: EndpointName, times: number): UploadRig => {
    const rig: UploadRig = createUploadRig({
      faultOf({ name, nth }) {
        if (name === when && nth <= times) for (const { parts } of rig.server.uploads.values()) parts.delete(2);
        return undefined;
      },
    });
    return rig;
  };

  it('sends again what the server lost after the notice', async () => {
    const rig = loseParts('uploadStatus', 3);
    await rig.upload(content);
    await expectUploaded(rig, [content]);
    expect(rig.server.counts.get('put')).toBe(7);
  });

  it('sends again what the server lost before the notice', async () => {
    const rig = loseParts('completePart', 2);
    await rig.upload(content);
    await expectUploaded(rig, [content]);
  });

  it('sends again what the server holds otherwise than it was sent', async () => {
    const rig: UploadRig = createUploadRig({
      faultOf({ name, nth }) {
        const part = [...rig.server.uploads.values()][0]?.parts.get(3);
        if (name === 'uploadStatus' && nth === 1 && part) part.etag = '"another"';
        return undefined;
      },
    });
    await rig.upload(content);
    await expectUploaded(rig, [content]);
    expect(rig.server.counts.get('put')).toBe(5);
  });

  it('is done again when the completion finds a part missing', async () => {
    const rig = loseParts('completeUpload', 1);
    await rig.upload(content);
    await expectUploaded(rig, [content]);
    expect(rig.server.counts.get('uploadStatus')).toBe(3);
  });

  it.each<EndpointName>(['uploadStatus', 'completeUpload'])('gives up after three rounds: %s', async (when) => {
    const rig = loseParts(when, 99);
    await rig.upload(content);
    expectFailed(rig, 'PART_MISMATCH');
    expect(rig.server.counts.get('put')).toBeLessThanOrEqual(4 + 3);
  });
});

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
      'the third file is not taken',
      ({ name, nth }) => (name === 'put' && nth > 5 ? 'break' : undefined),
      'STORAGE_ERROR',
    ],
    ['no notice arrives', faultsOn({ completePart: always('drop-before') }), 'NETWORK'],
    ['no notice is answered', faultsOn({ completePart: always('drop-after') }), 'NETWORK'],
    ['no status is answered', faultsOn({ uploadStatus: always('cut') }), 'TIMEOUT'],
    ['the completion does not arrive', faultsOn({ completeUpload: always('drop-before') }), 'NETWORK'],
    [
      'the completion is not answered in time',
      faultsOn({ completeUpload: always('drop-after').slice(0, 4) }),
      'NETWORK',
    ],
  ])('ends the upload and leaves nothing behind: %s', async (_, faultOf, code) => {
    const rig = createUploadRig({ faultOf });
    await rig.upload(...contents);
    expectFailed(rig, code);
  });

  it('abandons the files after the one that failed', async () => {
    const rig = createUploadRig({ faultOf: faultsOn({ put: always('drop-before') }) });
    await rig.upload(...contents);
    expect(rig.server.counts.get('initUpload')).toBe(1);
  });

  it('tries a part four times, waiting 2, 4 and 8 seconds', async () => {
    const rig = createUploadRig({ faultOf: faultsOn({ put: always('drop-before') }), lanes: 1 });
    await rig.upload(content);
    expect(rig.server.counts.get('put')).toBe(4);
    expect(rig.clock.nowMs()).toBe(14_000);
  });

  it('fails all the same when its clean-up fails too', async () => {
    const faults = { put: always('drop-before'), cancelUpload: always('break'), deleteFile: always('break') };
    const rig = createUploadRig({ faultOf: faultsOn(faults) });
    await rig.upload(content);
    expect(rig.engine.getState()).toMatchObject({ phase: 'failed', failure: { code: 'NETWORK' } });
  });

  it('only marks the result when the files cannot be grouped', async () => {
    const rig = createUploadRig({ faultOf: faultsOn({ groupFiles: always('break') }) });
    await rig.upload(...contents);
    await expectUploaded(rig);
    const lastPage = [...rig.server.uploads.values()].at(-1)?.completion?.pageID;
    expect(rig.engine.getState()).toMatchObject({ grouped: false, pageID: lastPage });
  });

  it('fails with FILE_UNREADABLE, untried again, where the file has shrunk', async () => {
    const rig = createUploadRig({ lanes: 1 });
    const file = { name: 'shrunk', size: content.length, contentType: '', source: content.slice(0, -1) };
    await rig.engine.start({ files: [file], key, downloadLimit: 1, retentionDays: 1 });
    expectFailed(rig, 'FILE_UNREADABLE');
    expect(rig.clock.nowMs()).toBe(0);
  });

  it('fails where the server counts the parts otherwise than its chunk size says', async () => {
    const rig = createUploadRig();
    const { call } = rig.server.api;
    rig.server.api.call = async (name, input, signal) => {
      const answer = await call(name, input, signal);
      return name === 'initUpload' ? { ...answer, totalParts: 5 } : answer;
    };
    await rig.upload(content);
    expectFailed(rig, 'API_ERROR');
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
  ])('at %s %d says so at once and leaves nothing behind', async (at, nth) => {
    const { rig, cancelled } = cancelledAt(at, nth);
    const seen: string[] = [];
    rig.engine.subscribe(() => seen.push(rig.engine.getState().phase));
    await rig.upload(...contents);
    await cancelled();
    expect(rig.engine.getState()).toEqual({ phase: 'cancelled' });
    expect(seen.slice(seen.indexOf('cancelling'))).toEqual(['cancelling', 'cancelled']);
    expectNothingLeft(rig.server);
    expect(rig.clock.nowMs()).toBe(0);
  });

  it('may come with the very first state', async () => {
    const rig = createUploadRig();
    rig.engine.subscribe(() => void rig.engine.cancel());
    await rig.upload(content);
    expect(rig.engine.getState().phase).toBe('cancelled');
    expect(rig.server.counts.size).toBe(0);
  });

  it('cuts what hangs', async () => {
    const rig = createUploadRig({ faultOf: faultsOn({ put: ['hang', 'hang', 'hang'] }) });
    const ended = rig.upload(content);
    await rig.clock.sleep(1, new AbortController().signal);
    await rig.engine.cancel();
    await ended;
    expect(rig.engine.getState().phase).toBe('cancelled');
    expectNothingLeft(rig.server);
  });

  it('ends a wait between two tries', async () => {
    const rig = createUploadRig({ faultOf: faultsOn({ put: always('drop-before') }) });
    const ended = rig.upload(content);
    await rig.clock.sleep(1000, new AbortController().signal);
    await rig.engine.cancel();
    await ended;
    expect(rig.clock.nowMs()).toBe(1000);
    expectNothingLeft(rig.server);
  });

  it('waits three seconds for the clean-up and no longer', async () => {
    const { rig, cancelled } = cancelledAt('put', 1, faultsOn({ cancelUpload: ['hang'] }));
    void rig.upload(content);
    await rig.clock.sleep(1, new AbortController().signal);
    expect(rig.engine.getState().phase).toBe('cancelling');
    await cancelled();
    expect(rig.engine.getState().phase).toBe('cancelled');
    expect(rig.clock.nowMs()).toBe(3000);
  });

  it('lets the next upload start, untouched by what is left of this one', async () => {
    const faults = faultsOn({ initUpload: ['delay', 'delay'], cancelUpload: always('break') });
    const rig = createUploadRig({ faultOf: faults });
    const first = rig.upload(content);
    await rig.engine.cancel();
    await rig.upload(content);
    await first;
    expect(rig.engine.getState()).toMatchObject({ phase: 'done' });
  });

  it('does nothing where nothing runs', async () => {
    const rig = createUploadRig();
    await rig.engine.cancel();
    expect(rig.engine.getState().phase).toBe('idle');
    await rig.upload(content);
    await rig.engine.cancel();
    await expectUploaded(rig, [content]);
  });
});

describe('start', () => {
  it('is refused while an upload runs, and harms it not', async () => {
    const rig = createUploadRig();
    const ended = rig.upload(content);
    expect(() => rig.upload(content)).toThrowError('running');
    await ended;
    await expectUploaded(rig, [content]);
  });

  it('is refused without a file', () => {
    expect(() => createUploadRig().upload()).toThrowError('No file');
  });

  it('works again after a failure', async () => {
    const rig = createUploadRig({ faultOf: faultsOn({ initUpload: always('break').slice(0, 4) }) });
    await rig.upload(content);
    expectFailed(rig, 'INTERNAL');
    await rig.upload(content);
    await expectUploaded(rig, [content]);
  });
});
