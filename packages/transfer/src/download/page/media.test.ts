import { asFailure, type PageFile } from '@furoshiki/api';
import { describe, expect, it } from 'vitest';
import { createPageRig, idOf, type PageRig, phasesOf, soon } from '../../../testing/download-rig.ts';
import { faultsOn } from '../../../testing/faults.ts';
import { CHUNK_BYTES, randomBytes } from '../../../testing/rigs.ts';
import { canPlay, type OpenMedia } from './media.ts';
import { LOADING_PAGE, type PageState, type ShownFile } from './page-machine.ts';

const film = randomBytes(6 * CHUNK_BYTES + 3);
const contents = [film, randomBytes(10)];
const names = ['film.mp4', 'text.txt'];

const counted = ({ server }: PageRig, id: string) => server.files.get(id)?.page.currentDownloads;
const fetches = ({ server }: PageRig) => server.counts.get('getRange') ?? 0;

async function opened(options?: Parameters<typeof createPageRig>[1]): Promise<{ rig: PageRig; media: OpenMedia }> {
  const rig = await createPageRig(contents, { names, ...options });
  return { rig, media: await rig.engine.openMedia(idOf(rig, 0)) };
}

/** The code of its failure. */
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (thrown: unknown) => asFailure(thrown).code,
  );

async function readAll(media: OpenMedia, most: number): Promise<number[]> {
  const bytes: number[] = [];
  while (bytes.length < media.size) bytes.push(...(await media.read(bytes.length, most)));
  return bytes;
}

describe('a film', () => {
  it.each([1, 7, CHUNK_BYTES, 1000])('is read in pieces of up to %i bytes, and counted once', async (most) => {
    const { rig, media } = await opened();
    expect(media.size).toBe(film.length);
    expect(await readAll(media, most)).toEqual([...film]);
    await soon(rig);
    expect([counted(rig, idOf(rig, 0)), fetches(rig)]).toEqual([1, 7]);
    expect(rig.server.counts.has('confirmDownload')).toBe(false);
  });

  it('can be saved afterwards with the same grant', async () => {
    const { rig, media } = await opened();
    await media.read(0, 10);
    await soon(rig);
    await rig.engine.download(idOf(rig, 0));
    expect(phasesOf(rig)[0]).toBe('complete');
    expect(rig.server.counts.get('confirmDownload')).toBe(1);
  });

  it('is sought without what lies between, and keeps three chunks', async () => {
    const { rig, media } = await opened();
    const at = async (chunk: number) => [...(await media.read(chunk * CHUNK_BYTES, 1))];
    for (const chunk of [0, 3, 5, 3, 5, 0]) expect(await at(chunk)).toEqual([film[chunk * CHUNK_BYTES]]);
    expect(fetches(rig)).toBe(3);
    await at(6);
    await at(5);
    expect(fetches(rig)).toBe(4);
    await at(3);
    expect(fetches(rig)).toBe(5);
  });

  it('gets the next chunk before this one has been played', async () => {
    const { rig, media } = await opened();
    await media.read(CHUNK_BYTES - 1, 1);
    await soon(rig);
    expect(fetches(rig)).toBe(2);
    await media.read(CHUNK_BYTES, 1);
    expect(fetches(rig)).toBe(2);
  });

  it('never gives out a byte of a forged chunk, and plays the others', async () => {
    const { rig, media } = await opened();
    const { sealed } = rig.server.files.get(idOf(rig, 0))!;
    const inSecond = CHUNK_BYTES + 28 + 20;
    sealed[inSecond]! ^= 1;
    expect([...(await media.read(0, 3))]).toEqual([film[0], film[1], film[2]]);
    await expect(media.read(CHUNK_BYTES, 1)).rejects.toMatchObject({ code: 'DECRYPTION_FAILED' });
    expect([...(await media.read(2 * CHUNK_BYTES, 1))]).toEqual([film[2 * CHUNK_BYTES]]);
    sealed[inSecond]! ^= 1;
    expect([...(await media.read(CHUNK_BYTES, 1))]).toEqual([film[CHUNK_BYTES]]);
  });

  it('goes on when the network is back', async () => {
    const { media } = await opened({ faultOf: faultsOn({ getRange: ['drop-after', 'cut'] }) });
    expect([...(await media.read(0, 1))]).toEqual([film[0]]);
  });

  it('ends at once if it is closed, if another one is opened, or if the page is left', async () => {
    for (const end of [
      async (_: PageRig, media: OpenMedia) => media.end(),
      (rig: PageRig) => rig.engine.closePreview(),
      (rig: PageRig) => rig.engine.openMedia(idOf(rig, 0)),
      (rig: PageRig) => rig.engine.cancel(),
    ]) {
      const { rig, media } = await opened({ faultOf: faultsOn({ getRange: ['hang'] }) });
      const reading = failureOf(media.read(0, 1));
      await soon(rig);
      await end(rig, media);
      expect(await reading).toBe('CANCELLED');
      await expect(media.read(0, 1)).rejects.toMatchObject({ code: 'CANCELLED' });
    }
  });

  it('takes no download if it was closed before the network came back', async () => {
    const rig = await createPageRig(contents, { names, faultOf: faultsOn({ takeGrant: ['drop-before'] }) });
    const opening = failureOf(rig.engine.openMedia(idOf(rig, 0)));
    await rig.engine.closePreview();
    expect(await opening).toBe('CANCELLED');
    await soon(rig);
    expect(counted(rig, idOf(rig, 0))).toBe(0);
  });

  it('has no bytes before its start or after its end', async () => {
    const { media } = await opened();
    for (const start of [-1, film.length, film.length + 1])
      await expect(media.read(start, 1)).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('is not opened if somebody else has used the last download', async () => {
    const rig = await createPageRig(contents, { names });
    const file = rig.server.files.get(idOf(rig, 0))!;
    file.page.currentDownloads = file.page.maxDownloads;
    await expect(rig.engine.openMedia(idOf(rig, 0))).rejects.toMatchObject({ code: 'DOWNLOAD_LIMIT_REACHED' });
    await expect(rig.engine.openMedia(idOf(rig, 1))).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

describe('a film is offered to be played', () => {
  const state: PageState = { ...LOADING_PAGE, phase: 'shown' };
  const file = (change: Partial<PageFile> & { opened?: unknown }) =>
    ({ id: 'a', fileSize: 10, isEncrypted: false, maxDownloads: 5, currentDownloads: 0, ...change }) as ShownFile;

  it.each([
    ['a film by its name', file({ fileName: 'a.MP4' }), true],
    ['a sound by its name', file({ fileName: 'a.opus' }), true],
    ['a film of any size', file({ fileName: 'a.webm', fileSize: 8e9 }), true],
    ['a sound by its type', file({ fileName: 'a', opened: { details: { type: 'audio/mpeg' } } }), true],
    ['a film by its type', file({ fileName: 'a', opened: { details: { type: 'video/mp4' } } }), true],
    [
      'TypeScript, by the type of its name',
      file({ fileName: 'a.ts', opened: { details: { type: 'video/mp2t' } } }),
      false,
    ],
    ['a picture', file({ fileName: 'a.png' }), false],
    ['a name that only contains it', file({ fileName: 'a.mp4.exe' }), false],
    ['an empty file', file({ fileName: 'a.mp4', fileSize: 0 }), false],
  ])('%s', (_, shown, expected) => {
    expect(canPlay(state, shown)).toBe(expected);
  });
});
