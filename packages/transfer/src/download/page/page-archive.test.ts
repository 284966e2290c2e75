import { Failure } from '@furoshiki/api';
import { describe, expect, it } from 'vitest';
import { createPageRig, idOf, PAGE_ID, type PageRig, phasesOf, soon } from '../../../testing/download-rig.ts';
import { createSlowSaver } from '../../../testing/fake-disk.ts';
import { faultsOn } from '../../../testing/faults.ts';
import { randomBytes } from '../../../testing/rigs.ts';
import type { FileSaver } from '../../ports.ts';
import { canDownload, isPageBusy } from './page-machine.ts';

const contents = [70, 40, 100].map(randomBytes);

describe('all files as one ZIP', () => {
  const outcome = ({ disks }: PageRig) => disks.get(PAGE_ID)?.outcome;

  it('takes one grant for each file, and confirms them when the archive is saved', async () => {
    const confirmedAt: (string | undefined)[] = [];
    const rig: PageRig = await createPageRig(contents, {
      faultOf({ name }) {
        if (name === 'confirmDownload') confirmedAt.push(outcome(rig));
        return undefined;
      },
    });
    await rig.engine.downloadArchive('all.zip');
    expect(rig.engine.getState().archive).toEqual({ phase: 'complete' });
    expect(confirmedAt).toEqual(['finished', 'finished', 'finished']);
    expect(rig.server.counts.get('takeGrant')).toBe(3);
    expect(rig.server.files.size).toBe(0);
    // Saved files stay visible, but no more downloads are offered.
    const state = rig.engine.getState();
    expect(state.phase).toBe('shown');
    const left = state.files.map((file) => file.maxDownloads - file.currentDownloads);
    expect(left).toEqual([0, 0, 0]);
    expect(state.files.some((file) => canDownload(state, file, 'click'))).toBe(false);
    const disk = rig.disks.get(PAGE_ID);
    expect(disk?.bytes).toHaveLength(disk?.file?.fileSize ?? 0);
  });

  it('is confirmed later if the page is closed: all ids are stored before the first call', async () => {
    const writtenDown: number[] = [];
    const rig: PageRig = await createPageRig(contents, {
      faultOf({ name }) {
        if (name === 'confirmDownload') writtenDown.push(rig.unconfirmed.size);
        return undefined;
      },
    });
    await rig.engine.downloadArchive('all.zip');
    expect([writtenDown, rig.unconfirmed.size]).toEqual([[3, 3, 3], 0]);
  });

  it('that fails confirms nothing, and can be downloaded again under the same grants', async () => {
    const rig = await createPageRig(contents);
    const last = rig.server.files.get(idOf(rig, 2));
    const whole = last?.sealed ?? new Uint8Array();
    if (last) last.sealed = whole.with(20, (whole[20] ?? 0) ^ 1);
    await rig.engine.downloadArchive('all.zip');
    expect(rig.engine.getState().archive).toMatchObject({ phase: 'failed', failure: { code: 'DECRYPTION_FAILED' } });
    expect([outcome(rig), rig.server.counts.has('confirmDownload')]).toEqual(['discarded', false]);
    if (last) last.sealed = whole;
    await rig.engine.downloadArchive('all.zip');
    expect(outcome(rig)).toBe('finished');
    expect(rig.files.map((file) => file.currentDownloads)).toEqual([1, 1, 1]);
  });

  it('blocks other downloads while the user chooses where to save it', async () => {
    const { saver, asked, finishChoice } = createSlowSaver();
    const rig = await createPageRig(contents, { saver });
    const clicks = [
      rig.engine.downloadArchive('all.zip'),
      rig.engine.downloadArchive('all.zip'),
      rig.engine.download(idOf(rig, 0)),
      rig.engine.downloadAll(),
    ];
    expect(isPageBusy(rig.engine.getState())).toBe(true);
    finishChoice();
    await Promise.all(clicks);
    expect([asked, rig.server.counts.get('takeGrant')]).toEqual([[PAGE_ID], 3]);
    expect([rig.engine.getState().archive.phase, isPageBusy(rig.engine.getState())]).toEqual(['complete', false]);
  });

  it('changes nothing if the user declines to save it or leaves the page', async () => {
    const { saver, finishChoice } = createSlowSaver();
    const failures = [new Failure('SAVE_UNSUPPORTED'), new Failure('CANCELLED')];
    const choose: FileSaver['choose'] = (...asked) => {
      const failure = failures.shift();
      return failure ? Promise.reject(failure) : saver.choose(...asked);
    };
    const rig = await createPageRig(contents, { saver: { choose } });
    await rig.engine.downloadArchive('all.zip');
    const before = rig.engine.getState();
    expect(before.archive.phase).toBe('failed');
    await rig.engine.downloadArchive('all.zip');
    expect(rig.engine.getState()).toEqual(before);
    const left = rig.engine.downloadArchive('all.zip');
    await rig.engine.cancel();
    finishChoice();
    await left;
    expect(rig.engine.getState()).toEqual(before);
    expect(rig.server.counts.has('takeGrant')).toBe(false);
  });

  it('blocks other downloads until it is cancelled', async () => {
    const rig = await createPageRig(contents, { faultOf: faultsOn({ getRange: [undefined, undefined, 'hang'] }) });
    const all = rig.engine.downloadArchive('all.zip');
    await soon(rig);
    await rig.engine.download(idOf(rig, 1));
    expect(phasesOf(rig)).toEqual(['idle', 'idle', 'idle']);
    void rig.engine.cancelArchive();
    await all;
    expect([rig.engine.getState().archive.phase, outcome(rig)]).toEqual(['cancelled', 'discarded']);
    expect(rig.server.counts.has('confirmDownload')).toBe(false);
  });
});
