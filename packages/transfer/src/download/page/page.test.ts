import { Failure, type FailureCode, type PageFile } from '@furoshiki/api';
import { describe, expect, it } from 'vitest';
import { createPageRig, idOf, phasesOf, soon } from '../../../testing/download-rig.ts';
import { destinationOn } from '../../../testing/fake-disk.ts';
import { always, faultsOn } from '../../../testing/faults.ts';
import { randomBytes } from '../../../testing/rigs.ts';
import { fileStateOf, LOADING_PAGE, reducePage } from './page-machine.ts';

const contents = [70, 40, 100].map(randomBytes);

describe('the page', () => {
  it('is not found if it has no files, and failed if the server fails', async () => {
    const none = await createPageRig([]);
    expect(none.engine.getState().phase).toBe('not-found');
    const broken = await createPageRig(contents, { faultOf: faultsOn({ page: always('break') }) });
    expect(broken.engine.getState()).toMatchObject({ phase: 'failed', failure: { code: 'INTERNAL' } });
  });

  it('can be loaded again after a failure, and says that it is loading', async () => {
    const rig = await createPageRig(contents, { faultOf: faultsOn({ page: Array<'break'>(4).fill('break') }) });
    expect(rig.engine.getState().phase).toBe('failed');
    const loading = rig.engine.load();
    expect(rig.engine.getState()).toMatchObject({ phase: 'loading', failure: undefined });
    await loading;
    expect(rig.engine.getState()).toMatchObject({ phase: 'shown', files: rig.files });
  });

  it('stays as it is if it cannot be reloaded', async () => {
    const rig = await createPageRig(contents, { faultOf: faultsOn({ page: [undefined, ...always('break')] }) });
    await rig.engine.load();
    expect(rig.engine.getState()).toMatchObject({ phase: 'shown', files: rig.files });
  });
});

it('keeps the object of each file and of the queue that has not changed, so that only the others are drawn again', async () => {
  const { files } = await createPageRig(contents);
  const [first, second, third] = files;
  const shown = reducePage(LOADING_PAGE, { type: 'loaded', files });
  const changed = structuredClone(files).map((file) =>
    file.id === second?.id ? { ...file, currentDownloads: 9 } : file,
  );
  const reloaded = reducePage(shown, { type: 'loaded', files: changed });
  expect(reloaded.files.map((file, index) => file === files[index])).toEqual([true, false, true]);
  const queued = reducePage(reloaded, { type: 'enqueue', id: third?.id ?? '' });
  const running = reducePage(queued, { type: 'fileChanged', id: first?.id ?? '', state: { phase: 'cancelled' } });
  expect([running.queue, fileStateOf(running, third?.id ?? '')]).toEqual([queued.queue, { phase: 'queued' }]);
  expect(running.queue).toBe(queued.queue);
});

it('keeps the place of a file that is gone after its download', async () => {
  const rig = await createPageRig(contents);
  rig.files[1]!.maxDownloads = 1;
  await rig.engine.load();
  await rig.engine.download(idOf(rig, 1));
  expect(rig.server.files.has(idOf(rig, 1))).toBe(false);
  expect(rig.engine.getState().files.map(({ id }) => id)).toEqual(rig.files.map(({ id }) => id));
});

describe('a file that cannot be planned', () => {
  it.each<[FailureCode, (file: PageFile) => void]>([
    ['KEY_EMPTY', (file) => void delete file.salt],
    ['FILE_EMPTY', (file) => void (file.fileSize = 0)],
  ])('fails with %s at once, and nothing is requested or written', async (code, damage) => {
    const rig = await createPageRig(contents);
    damage(rig.files[0]!);
    await rig.engine.load();
    await rig.engine.download(idOf(rig, 0));
    expect(fileStateOf(rig.engine.getState(), idOf(rig, 0))).toMatchObject({ phase: 'failed', failure: { code } });
    expect([rig.clock.nowMs(), rig.server.counts.get('takeGrant'), rig.disks.size]).toEqual([0, undefined, 0]);
  });
});

describe('a file that cannot be saved', () => {
  it.each([
    ['SAVE_UNSUPPORTED', 'failed'],
    ['CANCELLED', 'idle'],
  ] as const)('with %s is %s, and no grant is taken', async (code, phase) => {
    const saver = { choose: () => Promise.reject(new Failure(code)) };
    const rig = await createPageRig(contents, { saver });
    await rig.engine.download(idOf(rig, 0));
    await rig.engine.downloadArchive('all.zip');
    expect(phasesOf(rig)[0]).toBe(phase);
    expect(rig.server.counts.has('takeGrant')).toBe(false);
  });

  it('because the key is missing fails before anything is requested', async () => {
    const rig = await createPageRig(contents, { isLocked: true });
    await rig.engine.download(idOf(rig, 0));
    expect(fileStateOf(rig.engine.getState(), idOf(rig, 0))).toMatchObject({ failure: { code: 'KEY_EMPTY' } });
    expect(rig.server.counts.has('takeGrant')).toBe(false);
  });

  it('asks the user only for the first file of a click', async () => {
    const asked: boolean[] = [];
    const saver = {
      choose: async (_: unknown, mayAsk: boolean) => {
        asked.push(mayAsk);
        return destinationOn({ bytes: [], outcome: undefined, file: undefined });
      },
    };
    const rig = await createPageRig(contents, { saver });
    await rig.engine.downloadAll();
    expect(asked).toEqual([true, false, false]);
  });
});

describe('deleting', () => {
  it('one file removes it from the page, and shows a notice for five seconds', async () => {
    const rig = await createPageRig(contents);
    const removing = rig.engine.remove(idOf(rig, 1));
    await rig.clock.sleep(4999, new AbortController().signal);
    expect(rig.engine.getState().notice).toEqual({ kind: 'deleted', fileName: 'letter 2.txt' });
    expect(rig.engine.getState().files.map(({ id }) => id)).toEqual([idOf(rig, 0), idOf(rig, 2)]);
    await removing;
    expect(rig.engine.getState().notice).toBeUndefined();
    expect(rig.server.files.has(idOf(rig, 1))).toBe(false);
    await rig.engine.removeAll();
    expect(rig.server.files.size).toBe(0);
  });

  it('that fails names the file, which stays', async () => {
    const rig = await createPageRig(contents, { faultOf: faultsOn({ deleteFile: always('break') }) });
    const removing = rig.engine.remove(idOf(rig, 0));
    await rig.clock.sleep(15_000, new AbortController().signal);
    expect(rig.engine.getState().notice).toEqual({ kind: 'deleteFailed', fileName: 'letter.txt' });
    expect(phasesOf(rig)).toEqual(['idle', 'idle', 'idle']);
    await removing;
  });

  it('all files shows the progress and leaves nothing', async () => {
    const rig = await createPageRig(contents);
    const counts: unknown[] = [];
    rig.engine.subscribe(() => counts.push(rig.engine.getState().deletion?.done));
    await rig.engine.removeAll();
    expect([...new Set(counts)]).toEqual([0, 1, 2, undefined]);
    expect(rig.engine.getState().phase).toBe('not-found');
    expect(rig.server.files.size).toBe(0);
  });

  it('all files ignores one that is already gone, and names one that stays', async () => {
    const rig = await createPageRig(contents, {
      faultOf: ({ name, nth }) => (name === 'deleteFile' && nth > 1 && nth < 6 ? 'break' : undefined),
    });
    rig.server.files.delete(idOf(rig, 0));
    const removing = rig.engine.removeAll();
    await rig.clock.sleep(15_000, new AbortController().signal);
    expect(rig.engine.getState().notice).toEqual({ kind: 'deleteFailed', fileName: 'letter 2.txt' });
    await removing;
    expect([...rig.server.files.keys()]).toEqual([idOf(rig, 1)]);
  });

  it('all files says how many stay', async () => {
    const rig = await createPageRig(contents, { faultOf: faultsOn({ deleteFile: [undefined, ...always('break')] }) });
    const removing = rig.engine.removeAll();
    await rig.clock.sleep(30_000, new AbortController().signal);
    expect(rig.engine.getState().notice).toEqual({ kind: 'someNotDeleted', count: 2 });
    await removing;
    expect(rig.server.files.size).toBe(2);
  });

  it('waits until nothing runs', async () => {
    const rig = await createPageRig(contents, { faultOf: faultsOn({ getRange: ['delay'] }) });
    const downloading = rig.engine.download(idOf(rig, 0));
    await soon(rig);
    await rig.engine.removeAll();
    await rig.engine.remove(idOf(rig, 1));
    expect(rig.server.counts.has('deleteFile')).toBe(false);
    await downloading;
  });
});
