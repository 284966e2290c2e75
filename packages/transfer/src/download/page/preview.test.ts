import { asFailure, Failure, type PageFile } from '@furoshiki/api';
import { describe, expect, it } from 'vitest';
import { createPageRig, idOf, type PageRig, phasesOf, soon } from '../../../testing/download-rig.ts';
import { faultsOn } from '../../../testing/faults.ts';
import { CHUNK_BYTES, randomBytes } from '../../../testing/rigs.ts';
import { fileStateOf, isUsedUp, type PageState, type ShownFile } from './page-machine.ts';
import { canPreview } from './preview.ts';

const contents = [70, 40, 100].map(randomBytes);

/** How many downloads of a file the server has counted. */
const counted = ({ server }: PageRig, id: string) => server.files.get(id)?.page.currentDownloads;

describe('a file that is opened', () => {
  it('arrives whole, is counted once, and its grant stays', async () => {
    const rig = await createPageRig(contents);
    const id = idOf(rig, 0);
    expect(await rig.engine.preview(id)).toEqual(contents[0]);
    await soon(rig);
    expect([counted(rig, id), rig.server.counts.get('confirmDownload'), rig.disks.size]).toEqual([1, undefined, 0]);
    expect(rig.server.files.get(id)?.page.granted).toBe(true);
    expect(phasesOf(rig)).toEqual(['idle', 'idle', 'idle']);
  });

  it('can be saved afterwards with the same grant, also if it was the last one', async () => {
    const rig = await createPageRig(contents);
    const id = idOf(rig, 0);
    await rig.engine.preview(id);
    await soon(rig);
    const [file] = rig.engine.getState().files;
    expect([file?.maxDownloads, file?.currentDownloads, isUsedUp(file as PageFile)]).toEqual([1, 1, false]);
    await rig.engine.closePreview();
    expect(canPreview(rig.engine.getState(), file as ShownFile)).toBe(true);
    await rig.engine.download(id);
    expect(phasesOf(rig)[0]).toBe('complete');
    expect(Uint8Array.from(rig.disks.get(id)?.bytes ?? [])).toEqual(contents[0]);
    expect(rig.server.counts.get('confirmDownload')).toBe(1);
    // The fake server refuses a second grant, and deletes the file when its last download is confirmed.
    expect(rig.server.files.has(id)).toBe(false);
  });

  it('can be opened again without being counted again', async () => {
    const rig = await createPageRig(contents);
    const id = idOf(rig, 0);
    await rig.engine.preview(id);
    await rig.engine.closePreview();
    expect(await rig.engine.preview(id)).toEqual(contents[0]);
    expect(counted(rig, id)).toBe(1);
  });

  it('is refused if its last chunk is forged, and none of its bytes are returned', async () => {
    const rig = await createPageRig(contents);
    const id = idOf(rig, 0);
    const { sealed } = rig.server.files.get(id)!;
    sealed[sealed.length - 1]! ^= 1;
    await expect(rig.engine.preview(id)).rejects.toMatchObject({ code: 'DECRYPTION_FAILED' });
    expect(rig.engine.getState().preview?.state.phase).toBe('failed');
    expect(rig.server.counts.has('confirmDownload')).toBe(false);
  });

  it('shows its progress, and ends at once if it is closed', async () => {
    const rig = await createPageRig(contents, { faultOf: faultsOn({ getRange: [undefined, 'hang'] }), lanes: 1 });
    const opening = rig.engine.preview(idOf(rig, 0)).catch(asFailure);
    await soon(rig);
    expect(rig.engine.getState().preview).toMatchObject({
      id: idOf(rig, 0),
      state: { phase: 'downloading', chunks: [{ step: 'written' }, { step: 'waiting' }, {}] },
    });
    const requests = rig.server.counts.get('getRange');
    await rig.engine.closePreview();
    expect(rig.engine.getState().preview).toBeUndefined();
    expect(await opening).toMatchObject({ code: 'CANCELLED' });
    // Longer than the watchdog waits before it asks for the chunk again.
    await rig.clock.sleep(600_000, new AbortController().signal);
    expect(rig.server.counts.get('getRange')).toBe(requests);
  });

  it('ends if the page is left', async () => {
    const rig = await createPageRig(contents, { faultOf: faultsOn({ getRange: ['hang'] }), lanes: 1 });
    const opening = rig.engine.preview(idOf(rig, 0)).catch(asFailure);
    await soon(rig);
    await rig.engine.cancel();
    expect(await opening).toMatchObject({ code: 'CANCELLED' });
    expect(rig.engine.getState().preview).toBeUndefined();
  });

  it('gives way to the next one', async () => {
    const rig = await createPageRig(contents, { faultOf: faultsOn({ getRange: ['hang'] }), lanes: 1 });
    const first = rig.engine.preview(idOf(rig, 0)).catch(asFailure);
    await soon(rig);
    expect(await rig.engine.preview(idOf(rig, 1))).toEqual(contents[1]);
    expect(await first).toMatchObject({ code: 'CANCELLED' });
    expect(rig.engine.getState().preview?.id).toBe(idOf(rig, 1));
  });

  it('that others have used up says so on the page', async () => {
    const rig = await createPageRig(contents);
    rig.server.files.get(idOf(rig, 0))!.page.currentDownloads = 1;
    await expect(rig.engine.preview(idOf(rig, 0))).rejects.toMatchObject({ code: 'DOWNLOAD_LIMIT_REACHED' });
    expect(rig.engine.getState().isLimitReached).toBe(true);
  });

  it('must be unlocked first, and then nothing is requested', async () => {
    const rig = await createPageRig(contents, { isLocked: true });
    await expect(rig.engine.preview(idOf(rig, 0))).rejects.toBeInstanceOf(Failure);
    expect(rig.server.counts.has('takeGrant')).toBe(false);
  });
});

describe('whether a file can be opened', () => {
  const MAX = 100 * 1024 * 1024;
  const state = async () => (await createPageRig([randomBytes(CHUNK_BYTES)])).engine.getState();
  const withFile = (page: PageState, changes: Partial<ShownFile>) => {
    const [file] = page.files;
    return { ...(file as ShownFile), opened: undefined, ...changes } as ShownFile;
  };

  it.each([
    ['a.txt', true],
    ['photo.JPG', true],
    ['drawing.svg', true],
    ['page.html', true],
    ['movie.mp4', false],
    ['archive.zip', false],
    ['jpg', false],
  ])('%s: %s', async (fileName, isShown) => {
    const page = await state();
    expect(canPreview(page, withFile(page, { fileName }))).toBe(isShown);
  });

  it.each([
    [0, false],
    [1, true],
    [MAX, true],
    [MAX + 1, false],
  ])('with %i bytes: %s', async (fileSize, isShown) => {
    const page = await state();
    expect(canPreview(page, withFile(page, { fileSize }))).toBe(isShown);
  });

  it('depends on the type if the name says nothing, and not on a file that is too large, used up or saved', async () => {
    const rig = await createPageRig([randomBytes(CHUNK_BYTES)], { names: ['README'] });
    const page = rig.engine.getState();
    const [file] = page.files as [ShownFile];
    const { opened } = file;
    if (!opened) throw new Error('the file was not opened');
    const withType = (type: string) => ({ ...file, opened: { ...opened, details: { ...opened.details, type } } });
    expect(['', 'text/plain', 'image/png', 'video/mp4'].map((type) => canPreview(page, withType(type)))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(canPreview(page, { ...withType('text/plain'), currentDownloads: 1 })).toBe(false);
    await rig.engine.download(file.id);
    expect(fileStateOf(rig.engine.getState(), file.id).phase).toBe('complete');
    expect(canPreview(rig.engine.getState(), withType('text/plain'))).toBe(false);
  });
});
