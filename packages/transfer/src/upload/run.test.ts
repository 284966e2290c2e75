import type { EndpointName } from '@furoshiki/api';
import { MB, openPage } from '@furoshiki/format';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock } from '../../testing/fake-clock.ts';
import { createFakeNetwork } from '../../testing/fake-network.ts';
import { createFakeServer } from '../../testing/fake-server.ts';
import { always, type FaultPlan, faultsOn } from '../../testing/faults.ts';
import { expectUploaded, expectUploadFailed, storedInOrder } from '../../testing/outcomes.ts';
import {
  CHUNK_BYTES,
  createUploadRig,
  cryptoOf,
  key,
  localFile,
  randomBytes,
  subtle,
  type UploadRig,
} from '../../testing/rigs.ts';
import type { UploadState } from './machine.ts';
import { createUpload } from './run.ts';

const content = randomBytes(3 * CHUNK_BYTES + 5);
const contents = [content, randomBytes(1), randomBytes(CHUNK_BYTES)];

describe('an upload of several files', () => {
  let rig: UploadRig;
  const seen: UploadState[] = [];
  beforeEach(async () => {
    rig = createUploadRig();
    seen.length = 0;
    rig.engine.subscribe(() => seen.push(rig.engine.getState()));
    await rig.upload(...contents);
  });

  it('stores files that open to the same bytes, on one page, in order', async () => {
    await expectUploaded(rig, contents);
    const [[pageId, fileIds] = []] = rig.server.pages;
    expect(rig.server.pages.size).toBe(1);
    expect(rig.engine.getState()).toEqual({ phase: 'done', pageId, fileIds });
  });

  it('gives each file its own salt, and the page a list of all files, in order', async () => {
    const { server } = rig;
    const [pageID = ''] = server.pages.keys();
    const page = await server.api.call('page', { params: { pageID } });
    const { list, files } = await openPage(subtle, key, page);
    expect(list).toEqual({ files: page.files.map(({ salt }) => salt) });
    expect(new Set(list?.files).size).toBe(3);
    expect([...files.values()].map(({ details }) => details.name)).toEqual(page.files.map(({ fileName }) => fileName));
  });

  it('is of format 2, and each file says how many there are', async () => {
    const { server } = rig;
    const [pageID = ''] = server.pages.keys();
    const page = await server.api.call('page', { params: { pageID } });
    expect(page.files.map(({ format }) => format)).toEqual([2, 2, 2]);
    const { files } = await openPage(subtle, key, page);
    expect([...files.values()].map(({ details }) => details.fileCount)).toEqual([3, 3, 3]);
  });

  it('goes through its phases, and through the files in order', () => {
    const running = seen.filter((state) => 'fileIndex' in state);
    const indexes = running.map(({ fileIndex }) => fileIndex);
    expect(indexes).toEqual(indexes.toSorted((a, b) => a - b));
    // Several files are sent at once: one that is complete before its turn is not shown, or not in each of its phases.
    const order = ['uploading', 'verifying', 'completing'];
    for (const index of new Set(indexes)) {
      const steps = running.filter(({ fileIndex }) => fileIndex === index).map(({ phase }) => order.indexOf(phase));
      expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    }
    const first = running.filter(({ fileIndex }) => fileIndex === 0).map(({ phase }) => phase);
    expect([...new Set(first)]).toEqual(order);
    expect(seen.at(-1)?.phase).toBe('done');
  });

  it('sends each part once if nothing fails', () => {
    expect(rig.server.counts.get('put')).toBe(6);
    expect(rig.clock.nowMs()).toBe(0);
  });

  it('sends its own number of parts to the server', () => {
    const inits = [...rig.server.uploads.values()].map(({ init }) => init);
    expect(inits.map(({ totalParts }) => totalParts)).toEqual([1, 1, 1]);
    expect(inits[0]).toMatchObject({ fileName: 'file 1.bin', retentionPeriod: 1, downloadLimit: 5, isEncrypted: true });
  });
});

describe('files that are opened ahead', () => {
  it('have at most 16 MB that are not sent, in order', async () => {
    const clock = createFakeClock();
    const server = createFakeServer(clock, 25 * MB, () => undefined);
    const sends: ((etag: string) => void)[] = [];
    const sender = { send: () => new Promise<string>((resolve) => void sends.push(resolve)) };
    const ports = {
      api: server.api,
      clock,
      network: createFakeNetwork(clock, server),
      crypto: cryptoOf(clock),
      sender,
    };
    const engine = createUpload<undefined>(ports, { lanesFor: () => 8 });
    const sizes = [10 * MB, 5 * MB, 10 * MB, 1];
    const files = sizes.map((size, index) => ({ name: `${index}`, size, contentType: '', source: undefined }));
    const ended = engine.start({ files, key, downloadLimit: 5, retentionDays: 1 });
    const opened = async () => {
      await clock.sleep(1, new AbortController().signal);
      return [...server.uploads.values()].map(({ init }) => init.fileName);
    };
    // The last one is small enough, and waits for its turn.
    expect(await opened()).toEqual(['0', '1']);
    sends[0]?.('"etag"');
    expect(await opened()).toEqual(['0', '1', '2', '3']);
    await engine.cancel();
    await ended;
  });
});

describe('a fault that passes', () => {
  it.each<[string, FaultPlan]>([
    ['a dropped PUT', faultsOn({ put: ['drop-before', 'drop-before'] })],
    ['a PUT whose response is lost', faultsOn({ put: ['drop-after'] })],
    ['a PUT cut short', faultsOn({ put: ['cut'] })],
    ['a storage that is down for a while', faultsOn({ put: ['break', 'break', 'break'] })],
    ['a URL that cannot be had at first', faultsOn({ presignPart: ['break', 'cut', 'drop-after'] })],
    ['a lost response of initUpload', faultsOn({ initUpload: ['drop-after'] })],
    ['a lost response of completePart', faultsOn({ completePart: ['drop-after', 'drop-after', 'drop-after'] })],
    ['a lost response of uploadStatus', faultsOn({ uploadStatus: ['drop-after'] })],
    ['a lost response of completeUpload', faultsOn({ completeUpload: ['drop-after', 'drop-after', 'drop-after'] })],
    ['a lost response of groupFiles', faultsOn({ groupFiles: ['drop-after'] })],
    ['ten minutes of a locked file', faultsOn({ completeUpload: always('break').slice(0, 22) })],
    ['minutes without a status', faultsOn({ uploadStatus: always('break').slice(0, 10) })],
    ['minutes without a page for all', faultsOn({ groupFiles: always('break').slice(0, 10) })],
    ['three retries of every step', faultsOn({ put: always('break').slice(0, 3), groupFiles: ['cut', 'cut', 'cut'] })],
  ])('does no harm: %s', async (_, faultOf) => {
    const rig = createUploadRig({ faultOf, lanes: 1 });
    await rig.upload(...contents);
    await expectUploaded(rig, contents);
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
    // The URL of the first part is in the first response. The URL of the next part was already fetched.
    expect(rig.server.counts.get('presignPart')).toBe(3 + 2);
  });

  it('sets the part back to the start', async () => {
    const rig = createUploadRig({ faultOf: faultsOn({ put: ['drop-before'] }) });
    const steps: string[] = [];
    rig.engine.subscribe(() => {
      const state = rig.engine.getState();
      const step = 'parts' in state ? state.parts[0]?.step : undefined;
      if (step !== undefined && step !== steps.at(-1)) steps.push(step);
    });
    await rig.upload(randomBytes(1));
    expect(steps).toEqual(['waiting', 'sending', 'waiting', 'sending', 'sent', 'reported']);
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

  it('sends a part again that the server lost after the notice', async () => {
    const rig = loseParts('uploadStatus', 3);
    await rig.upload(content);
    await expectUploaded(rig, [content]);
    expect(rig.server.counts.get('put')).toBe(7);
  });

  it('sends a part again that the server lost before the notice', async () => {
    const rig = loseParts('completePart', 2);
    await rig.upload(content);
    await expectUploaded(rig, [content]);
  });

  it('sends a part again if the server has another ETag', async () => {
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

  it('takes three calls for a file of one part, and more only if the server lost it', async () => {
    const small = randomBytes(5);
    const callsOf = async (loses: boolean) => {
      const rig: UploadRig = createUploadRig({
        faultOf({ name, nth }) {
          if (loses && name === 'completeUpload' && nth === 1)
            for (const { parts } of rig.server.uploads.values()) parts.clear();
          return undefined;
        },
      });
      await rig.upload(small);
      await expectUploaded(rig, [small]);
      const names = ['initUpload', 'presignPart', 'put', 'completePart', 'uploadStatus', 'completeUpload'] as const;
      return names.map((name) => rig.server.counts.get(name) ?? 0);
    };
    expect(await callsOf(false)).toEqual([1, 0, 1, 0, 0, 1]);
    expect(await callsOf(true)).toEqual([1, 1, 2, 0, 2, 2]);
  });

  it('is repeated if the completion finds a part missing', async () => {
    const rig = loseParts('completeUpload', 1);
    await rig.upload(content);
    await expectUploaded(rig, [content]);
    expect(rig.server.counts.get('uploadStatus')).toBe(3);
  });

  it.each<EndpointName>(['uploadStatus', 'completeUpload'])('gives up after three rounds: %s', async (when) => {
    const rig = loseParts(when, 99);
    await rig.upload(content);
    expectUploadFailed(rig, 'PART_MISMATCH');
    expect(rig.server.counts.get('put')).toBeLessThanOrEqual(4 + 3);
  });
});

it('sends unencrypted files as they are, and marks them as unencrypted', async () => {
  const rig = createUploadRig();
  const files = contents.map(localFile);
  await rig.engine.start({ files, key: 'unencrypted', downloadLimit: 1, retentionDays: 1 });
  const stored = storedInOrder(rig);
  expect(stored.map(({ sealed }) => sealed)).toEqual(contents);
  for (const { page } of stored)
    expect([page.isEncrypted, page.format, page.salt, page.keyCheck]).toEqual([false, 1, undefined, undefined]);
});

describe('start', () => {
  it('is refused while an upload runs, which continues', async () => {
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
    expectUploadFailed(rig, 'INTERNAL');
    await rig.upload(content);
    await expectUploaded(rig, [content]);
  });
});

it('sends fewer parts at once as soon as fewer are allowed', async () => {
  let lanes = 5;
  const rig = createUploadRig({
    lanesFor: () => lanes,
    faultOf({ name, nth }) {
      if (name === 'put' && nth === 12) lanes = 1;
      return name === 'put' ? 'late' : undefined;
    },
  });
  const running: number[] = [];
  const { put } = rig.server.storage;
  let current = 0;
  rig.server.storage.put = async (...input) => {
    running.push((current += 1));
    try {
      return await put(...input);
    } finally {
      current -= 1;
    }
  };
  await rig.upload(randomBytes(40 * CHUNK_BYTES));
  expect(rig.engine.getState().phase).toBe('done');
  expect(Math.max(...running)).toBe(5);
  expect(Math.max(...running.slice(-20))).toBe(1);
});
