import { Failure, frameStart } from '@furoshiki/api';
import { describe, expect, it } from 'vitest';
import { createPageRig, PAGE_ID, type PageRig, phasesOf } from '../../../testing/download-rig.ts';
import type { SmallFilesRig } from '../../../testing/fake-small-files.ts';
import { CHUNK_BYTES, randomBytes } from '../../../testing/rigs.ts';

type Change = NonNullable<SmallFilesRig['change']>;

interface TogetherRig extends PageRig {
  contents: Uint8Array<ArrayBuffer>[];
  requests: string[][];
  /** How many downloads of each file were counted. */
  counted(): number[];
  alone(): number;
}

async function createTogether(count: number, change?: Change): Promise<TogetherRig> {
  // All as long, so that the bytes of two files can be exchanged.
  const contents = Array.from({ length: count }, () => randomBytes(CHUNK_BYTES - 3));
  const together: SmallFilesRig = { requests: [], ...(change && { change }) };
  const rig = await createPageRig(contents, { together });
  return {
    ...rig,
    contents,
    requests: together.requests,
    // Files whose last download is confirmed are gone.
    counted: () => rig.files.map(({ currentDownloads }) => currentDownloads),
    alone: () => rig.server.counts.get('getRange') ?? 0,
  };
}

const outcomeOf = ({ disks }: PageRig, id = PAGE_ID) => disks.get(id)?.outcome;
const isComplete = ({ engine }: PageRig) => engine.getState().archive.phase === 'complete';

function isSaved({ disks, files, contents }: TogetherRig): boolean {
  return files.every(({ id }, index) => {
    const disk = disks.get(id);
    return disk?.outcome === 'finished' && Buffer.from(disk.bytes).equals(contents[index] ?? Buffer.alloc(0));
  });
}

describe('an archive of many small files', () => {
  it('takes one request for the grants and the bytes of all', async () => {
    const rig = await createTogether(40);
    await rig.engine.downloadArchive('all.zip');
    expect([isComplete(rig), outcomeOf(rig)]).toEqual([true, 'finished']);
    expect(rig.requests.map(({ length }) => length)).toEqual([40]);
    expect(rig.counted()).toEqual(rig.files.map(() => 1));
    expect(rig.alone()).toBe(0);
  });

  it.each<[string, (frames: Uint8Array[]) => Uint8Array[]]>([
    ['before its first byte', () => []],
    ['after some files', (frames) => frames.slice(0, 3)],
    ['within a file', (frames) => [...frames.slice(0, 3), (frames[3] as Uint8Array).subarray(0, 60)]],
    ['before its end', (frames) => frames.slice(0, -1)],
  ])('counts nothing twice if the response is cut %s', async (_, cut) => {
    const rig = await createTogether(6, (frames, request) => (request === 1 ? cut(frames) : frames));
    await rig.engine.downloadArchive('all.zip');
    expect([isComplete(rig), outcomeOf(rig)]).toEqual([true, 'finished']);
    expect(rig.counted()).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('is received file by file if no response arrives whole', async () => {
    const rig = await createTogether(6, () => []);
    await rig.engine.downloadArchive('all.zip');
    expect(isComplete(rig)).toBe(true);
    expect([rig.requests.length, rig.alone()]).toEqual([2, 6]);
    expect(rig.counted()).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it.each<[string, (frames: Uint8Array[]) => Uint8Array[]]>([
    ['sends the files in another order', ([one, two, ...rest]) => [two, one, ...rest] as Uint8Array[]],
    ['sends a file too long', ([one, ...rest]) => [one, new Uint8Array(1), ...rest] as Uint8Array[]],
    ['leaves out a file', ([, ...rest]) => rest],
  ])('has nothing false if a server %s', async (_, change) => {
    const rig = await createTogether(4, change);
    await rig.engine.downloadArchive('all.zip');
    // The engine receives them one by one, where this server is honest.
    expect(isComplete(rig)).toBe(true);
    expect(rig.alone()).toBeGreaterThan(0);
  });

  it.each<[string, (frames: Uint8Array[]) => Uint8Array[]]>([
    [
      'exchanges the bytes of two files',
      ([one, two, ...rest]) => [headOf(one), bodyOf(two), headOf(two), bodyOf(one), ...rest],
    ],
    ['sends a file too short', ([one, ...rest]) => [one?.subarray(0, -1), ...rest] as Uint8Array[]],
    ['changes a byte of a file', ([one, ...rest]) => [flipLast(one as Uint8Array), ...rest]],
  ])('is not saved if a server %s', async (_, change) => {
    const rig = await createTogether(4, change);
    await rig.engine.downloadArchive('all.zip');
    expect(rig.engine.getState().archive).toMatchObject({ phase: 'failed', failure: { code: 'DECRYPTION_FAILED' } });
    expect(outcomeOf(rig)).toBe('discarded');
    expect(rig.alone()).toBe(0);
  });

  it('fails as with single requests if one file is used up', async () => {
    const rig = await createTogether(5);
    const [, used] = rig.files;
    if (used) used.currentDownloads = used.maxDownloads;
    await rig.engine.downloadArchive('all.zip');
    expect(rig.engine.getState().archive).toMatchObject({
      phase: 'failed',
      failure: { code: 'DOWNLOAD_LIMIT_REACHED', details: { during: 'fileInfo' } },
    });
    expect(rig.engine.getState().isLimitReached).toBe(true);
  });

  it('is received file by file from a server that does not know the call, which is not asked again', async () => {
    const rig = await createTogether(40, () => {
      throw new Failure('NOT_FOUND', { status: 404 });
    });
    for (const file of rig.files) file.maxDownloads = 2;
    let most = 0;
    let running = 0;
    const { getRange } = rig.server.storage;
    rig.server.storage.getRange = async (...call) => {
      running += 1;
      most = Math.max(most, running);
      await rig.clock.sleep(5, new AbortController().signal);
      return getRange(...call).finally(() => void (running -= 1));
    };
    await rig.engine.downloadArchive('all.zip');
    expect(isComplete(rig)).toBe(true);
    expect([rig.requests.length, rig.alone(), most]).toEqual([1, 40, 16]);
    await rig.engine.downloadArchive('all.zip');
    expect([rig.requests.length, rig.alone()]).toEqual([1, 80]);
  });

  it('receives a file by itself that the server finds too large', async () => {
    const rig = await createTogether(3, ([, ...rest]) => {
      const tooLarge = { errorCode: 'BODY_TOO_LARGE', error: '', message: '' };
      return [frameStart({ id: rig.files[0]?.id ?? '', status: 413, body: tooLarge }, 0), ...rest];
    });
    await rig.engine.downloadArchive('all.zip');
    expect([isComplete(rig), rig.requests.length, rig.alone()]).toEqual([true, 1, 1]);
  });

  it('is cancelled while its files arrive', async () => {
    const rig = await createTogether(20, (frames) => {
      void Promise.resolve().then(() => rig.engine.cancelArchive());
      return frames;
    });
    await rig.engine.downloadArchive('all.zip');
    expect([rig.engine.getState().archive.phase, outcomeOf(rig)]).toEqual(['cancelled', 'discarded']);
  });
});

describe('single small files', () => {
  it('are received together, and each saved for itself', async () => {
    const rig = await createTogether(20);
    await rig.engine.downloadAll();
    expect(isSaved(rig)).toBe(true);
    expect(rig.requests.flat().length + rig.alone()).toBe(20);
    expect(rig.requests.flat().length).toBeGreaterThan(10);
    expect(rig.unconfirmed.size).toBe(0);
  });

  it('are saved if the response was cut, and counted once', async () => {
    const rig = await createTogether(12, (frames, request) => (request % 2 ? frames.slice(0, 2) : frames));
    await rig.engine.downloadAll();
    expect(isSaved(rig)).toBe(true);
    expect(rig.counted().every((count) => count === 1)).toBe(true);
  });

  it('are not saved with the bytes of another file', async () => {
    const rig = await createTogether(8, (frames) =>
      frames.map((frame) => (frame.length > 8 ? flipLast(frame) : frame)),
    );
    await rig.engine.downloadAll();
    // The first came alone.
    expect(phasesOf(rig).filter((phase) => phase === 'failed').length).toBeGreaterThan(0);
    const saved = [...rig.disks.values()].filter(({ outcome }) => outcome === 'finished');
    expect(saved.length + phasesOf(rig).filter((phase) => phase === 'failed').length).toBe(8);
  });

  it('go alone if there is only one', async () => {
    const rig = await createTogether(1);
    await rig.engine.downloadAll();
    expect([isSaved(rig), rig.requests.length, rig.alone()]).toEqual([true, 0, 1]);
  });
});

const headOf = (frame: Uint8Array = new Uint8Array()) =>
  frame.subarray(0, 8 + new DataView(frame.buffer, frame.byteOffset).getUint32(0));
const bodyOf = (frame: Uint8Array = new Uint8Array()) => frame.subarray(headOf(frame).length);

function flipLast(frame: Uint8Array): Uint8Array {
  const changed = Uint8Array.from(frame);
  changed.set([(changed.at(-1) ?? 0) ^ 1], changed.length - 1);
  return changed;
}
