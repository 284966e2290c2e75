import { MB } from '@furoshiki/format';
import { describe, expect, it } from 'vitest';
import { createPageRig, idOf, type PageRig, phasesOf, soon } from '../../../testing/download-rig.ts';
import { createSlowSaver } from '../../../testing/fake-disk.ts';
import { always, DELAY_MS, type FaultPlan, faultsOn } from '../../../testing/faults.ts';
import { CHUNK_BYTES, key, pageFileOf, randomBytes } from '../../../testing/rigs.ts';
import { fileStateOf, isUsedUp } from './page-machine.ts';

const contents = [70, 40, 100].map(randomBytes);
const saved = ({ disks, files }: PageRig) => files.map(({ id }) => Uint8Array.from(disks.get(id)?.bytes ?? []));

describe('the queue', () => {
  it('downloads one file after the other, in the order of the clicks, and shows their positions', async () => {
    const rig = await createPageRig(contents, { faultOf: faultsOn({ getRange: ['delay'] }) });
    const clicks = [2, 0, 1].map((index) => rig.engine.download(idOf(rig, index)));
    await soon(rig);
    expect(phasesOf(rig)).toEqual(['queued', 'queued', 'downloading']);
    expect(rig.engine.getState().queue).toEqual([0, 1].map((index) => idOf(rig, index)));
    await Promise.all(clicks);
    expect(phasesOf(rig)).toEqual(['complete', 'complete', 'complete']);
    expect(saved(rig)).toEqual(contents);
  });

  it('receives small files together, more and more of them, and saves them in order', async () => {
    const small = Array.from({ length: 30 }, (_, index) => randomBytes(index + 1));
    // Some files take longer than those after them.
    const faultOf: FaultPlan = ({ name, nth }) =>
      name === 'takeGrant' || (name === 'getRange' && nth % 5 === 3) ? 'delay' : undefined;
    const rig = await createPageRig(small, { faultOf });
    const order: string[] = [];
    let most = 0;
    rig.engine.subscribe(() => {
      const phases = phasesOf(rig);
      most = Math.max(most, phases.filter((phase) => phase === 'starting' || phase === 'downloading').length);
      for (const [index, { id }] of rig.files.entries())
        if (phases[index] === 'complete' && !order.includes(id)) order.push(id);
    });
    const startedMs = rig.clock.nowMs();
    await rig.engine.downloadAll();
    expect(saved(rig)).toEqual(small);
    expect([order, most]).toEqual([rig.files.map(({ id }) => id), 8]);
    expect(rig.clock.nowMs() - startedMs).toBeLessThan((DELAY_MS * small.length) / 2);
  });

  it('receives one file at a time if files are large', async () => {
    const phasesWith = async (fileSize: number) => {
      const rig = await createPageRig(contents, { faultOf: faultsOn({ takeGrant: [undefined, 'hang', 'hang'] }) });
      for (const [index, { page }] of [...rig.server.files.values()].entries())
        if (index > 0) Object.assign(page, await pageFileOf(fileSize, index + 1), { chunkSize: MB });
      await rig.engine.load();
      await rig.engine.open(key);
      const all = rig.engine.downloadAll();
      await soon(rig);
      const phases = phasesOf(rig);
      await rig.engine.cancel();
      await all;
      return phases;
    };
    expect(await phasesWith(6 * MB)).toEqual(['complete', 'starting', 'queued']);
    expect(await phasesWith(MB)).toEqual(['complete', 'starting', 'starting']);
  });

  it('reloads a long list only from time to time, and after the last file', async () => {
    const rig = await createPageRig(Array.from({ length: 60 }, () => randomBytes(10)));
    await rig.engine.downloadAll();
    expect(new Set(phasesOf(rig))).toEqual(new Set(['complete']));
    expect(rig.server.counts.get('page')).toBe(2);
  });

  it('reloads the list after each file, and keeps files without remaining downloads visible', async () => {
    const rig = await createPageRig(contents);
    await rig.engine.downloadAll();
    expect(rig.server.counts.get('page')).toBe(1 + 3);
    expect(rig.server.files.size).toBe(0);
    expect(rig.engine.getState()).toMatchObject({ phase: 'shown' });
    expect(rig.engine.getState().files).toHaveLength(3);
  });

  it('does not repeat complete or failed files, except by a click on a failed one', async () => {
    const rig = await createPageRig(contents, {
      faultOf: ({ name, nth }) => (name === 'getRange' && nth <= 36 ? 'break' : undefined),
      lanes: 1,
    });
    await rig.engine.download(idOf(rig, 0));
    await rig.engine.download(idOf(rig, 1));
    await rig.engine.download(idOf(rig, 2));
    expect(phasesOf(rig)).toEqual(['failed', 'failed', 'failed']);
    await rig.engine.downloadAll();
    expect(phasesOf(rig)).toEqual(['failed', 'failed', 'failed']);
    await rig.engine.download(idOf(rig, 1));
    expect(phasesOf(rig)).toEqual(['failed', 'complete', 'failed']);
    const grants = rig.server.counts.get('takeGrant');
    await rig.engine.download(idOf(rig, 1));
    expect(rig.server.counts.get('takeGrant')).toBe(grants);
  });

  it('continues with the next file after a failure', async () => {
    const rig = await createPageRig(contents);
    const first = rig.server.files.get(idOf(rig, 0));
    if (first) first.sealed = first.sealed.with(20, (first.sealed[20] ?? 0) ^ 1);
    await rig.engine.downloadAll();
    expect(phasesOf(rig)).toEqual(['failed', 'complete', 'complete']);
  });

  it('stops when the limit is reached', async () => {
    const rig = await createPageRig(contents);
    const [first] = rig.files;
    // Another user was faster: the page does not know it yet.
    if (first) first.currentDownloads = first.maxDownloads;
    await rig.engine.downloadAll();
    expect(phasesOf(rig)).toEqual(['failed', 'idle', 'idle']);
    expect(rig.engine.getState()).toMatchObject({ isLimitReached: true, queue: [] });
    // The counts are those of the server now.
    expect(rig.engine.getState().files).toMatchObject(rig.files);
    expect(isUsedUp(rig.engine.getState().files[0]!)).toBe(true);
    await rig.engine.download(idOf(rig, 1));
    await rig.engine.downloadAll();
    await rig.engine.downloadArchive('all.zip');
    expect(rig.server.counts.get('takeGrant')).toBe(1);
  });

  it('reloads the list of many files every five seconds at most, and at the end', async () => {
    const many = Array.from({ length: 51 }, () => randomBytes(1));
    const rig = await createPageRig(many, { faultOf: ({ name }) => (name === 'takeGrant' ? 'delay' : undefined) });
    const startedMs = rig.clock.nowMs();
    await rig.engine.downloadAll();
    const reloads = (rig.server.counts.get('page') ?? 0) - 1;
    expect(reloads).toBeGreaterThanOrEqual(1);
    expect(reloads).toBeLessThanOrEqual(1 + (rig.clock.nowMs() - startedMs) / 5000);
    expect(rig.engine.getState().files.filter((file) => isUsedUp(file))).toHaveLength(51);
  });

  it('stops when the storage refuses every URL, which does not mean that the limit is reached', async () => {
    const rig = await createPageRig(contents, { faultOf: faultsOn({ getRange: always('refuse') }) });
    const startedMs = rig.clock.nowMs();
    await rig.engine.downloadAll();
    expect(rig.clock.nowMs() - startedMs).toBeLessThanOrEqual(10_000);
    expect(phasesOf(rig)).toEqual(['failed', 'idle', 'idle']);
    expect(rig.engine.getState()).toMatchObject({ isLimitReached: false, queue: [] });
    expect(fileStateOf(rig.engine.getState(), idOf(rig, 0))).toMatchObject({
      failure: { code: 'STORAGE_ERROR', details: { status: 403, during: 'storage' } },
    });
    rig.server.faultOf = () => undefined;
    await rig.engine.download(idOf(rig, 0));
    expect(phasesOf(rig)[0]).toBe('complete');
  });

  it('says which step has failed', async () => {
    const rig = await createPageRig(contents, { faultOf: faultsOn({ takeGrant: always('break') }) });
    await rig.engine.download(idOf(rig, 0));
    expect(fileStateOf(rig.engine.getState(), idOf(rig, 0))).toMatchObject({
      failure: { code: 'INTERNAL', details: { status: 500, during: 'fileInfo' } },
    });
  });

  it('does not request a file without remaining downloads', async () => {
    const rig = await createPageRig(contents);
    const [first] = rig.files;
    if (first) first.currentDownloads = first.maxDownloads;
    await rig.engine.load();
    await rig.engine.download(idOf(rig, 0));
    expect(rig.server.counts.has('takeGrant')).toBe(false);
  });

  it('cancels a waiting file and a running one', async () => {
    const rig = await createPageRig(contents, { faultOf: faultsOn({ getRange: ['hang', 'hang', 'hang'] }) });
    const all = rig.engine.downloadAll();
    await soon(rig);
    await rig.engine.cancelFile(idOf(rig, 1));
    await rig.engine.cancelFile(idOf(rig, 0));
    await all;
    expect(phasesOf(rig)).toEqual(['cancelled', 'idle', 'complete']);
    expect(rig.disks.get(idOf(rig, 0))?.outcome).toBe('discarded');
  });

  it('keeps its bytes when the page is left, and resumes from there', async () => {
    const rig = await createPageRig(contents, { faultOf: faultsOn({ getRange: [undefined, 'hang'] }), lanes: 1 });
    const all = rig.engine.downloadAll();
    await soon(rig);
    await rig.engine.cancel();
    await all;
    expect(rig.disks.get(idOf(rig, 0))).toMatchObject({ outcome: 'suspended' });
    expect(rig.disks.get(idOf(rig, 0))?.bytes).toHaveLength(CHUNK_BYTES);
    expect(rig.engine.getState().queue).toEqual([]);
    await rig.engine.download(idOf(rig, 0));
    expect(phasesOf(rig)[0]).toBe('complete');
  });

  it('requests nothing if the page is left while the user chooses where to save', async () => {
    const { saver, asked, finishChoice } = createSlowSaver();
    const rig = await createPageRig(contents, { saver });
    const all = rig.engine.downloadAll();
    await rig.engine.cancel();
    finishChoice();
    await all;
    expect([asked, phasesOf(rig)]).toEqual([[idOf(rig, 0)], ['idle', 'idle', 'idle']]);
    expect(rig.server.counts.has('takeGrant')).toBe(false);
    await rig.engine.download(idOf(rig, 0));
    expect(phasesOf(rig)[0]).toBe('complete');
  });

  it('chooses a destination once per file, even after several clicks on all files', async () => {
    const { saver, asked, finishChoice } = createSlowSaver();
    const rig = await createPageRig(contents, { saver });
    const clicks = [rig.engine.downloadAll(), rig.engine.downloadAll(), rig.engine.download(idOf(rig, 2))];
    finishChoice();
    await Promise.all(clicks);
    expect(asked.toSorted()).toEqual(rig.files.map(({ id }) => id));
    expect(rig.server.counts.get('takeGrant')).toBe(3);
  });

  it('reports that it waits for the network', async () => {
    const rig: PageRig = await createPageRig(contents, {
      faultOf({ name, nth }) {
        if (name === 'getRange' && nth === 1) rig.network.pull();
        return undefined;
      },
    });
    const all = rig.engine.downloadAll();
    await rig.clock.sleep(60_000, new AbortController().signal);
    expect(rig.engine.getState().isWaitingForNetwork).toBe(true);
    rig.network.plug();
    await all;
    expect(rig.engine.getState().isWaitingForNetwork).toBe(false);
    expect(phasesOf(rig)).toEqual(['complete', 'complete', 'complete']);
  });
});
