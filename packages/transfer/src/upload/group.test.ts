import { Failure } from '@furoshiki/api';
import { describe, expect, it } from 'vitest';
import { createFakeResumeRecord } from '../../testing/fake-resume-record.ts';
import { always, type FaultPlan, faultsOn } from '../../testing/faults.ts';
import { expectNothingLeft, expectUploaded, expectUploadFailed } from '../../testing/outcomes.ts';
import { createUploadRig, key, localFile, randomBytes, type UploadRig } from '../../testing/rigs.ts';

const contents = [randomBytes(40), randomBytes(1), randomBytes(7)];
const request = { files: contents.map(localFile), key, downloadLimit: 1, retentionDays: 1 } as const;

/** The page of each file, in the order of the upload. */
function pagesOf({ server }: UploadRig) {
  return [...server.uploads.values()]
    .toSorted((a, b) => a.init.fileName.localeCompare(b.init.fileName))
    .map(({ init, completion }) => ({ fileName: init.fileName, pageId: completion?.pageID }));
}

describe('files that cannot be grouped', () => {
  it.each<[string, FaultPlan]>([
    ['the server fails', faultsOn({ groupFiles: always('break') })],
    [
      'no call arrives, and pages cannot be read',
      faultsOn({ groupFiles: always('drop-before'), page: always('break') }),
    ],
  ])('stay on the server, each on its own page: %s', async (_, faultOf) => {
    const rig = createUploadRig({ faultOf });
    await rig.upload(...contents);
    await expectUploaded(rig, contents);
    const separatePages = pagesOf(rig);
    expect(rig.engine.getState()).toMatchObject({ separatePages, pageId: separatePages[0]?.pageId });
    expect(rig.server.counts.get('groupFiles')).toBe(25);
    for (const { pageId = '' } of separatePages) {
      rig.server.faultOf = () => undefined;
      expect((await rig.server.api.call('page', { params: { pageID: pageId } })).files).toHaveLength(1);
    }
  });

  it('stay there when the server refuses the group, or the tab is closed', async () => {
    const rig = createUploadRig();
    const { call } = rig.server.api;
    rig.server.api.call = async (name, input, signal) => {
      if (name === 'groupFiles') throw new Failure('SIZE_EXCEEDED', { status: 413 });
      return call(name, input, signal);
    };
    const resumeRecord = createFakeResumeRecord();
    await rig.engine.start({ ...request, resumeRecord });
    rig.engine.leave();
    await rig.engine.cancel();
    await rig.clock.sleep(1, new AbortController().signal);
    await expectUploaded(rig, contents);
    expect(rig.engine.getState()).toMatchObject({ separatePages: pagesOf(rig) });
    expect(resumeRecord.isStored()).toBe(false);
    expect(rig.server.counts.get('deleteFile')).toBeUndefined();
  });

  it('are removed when the user cancels in the meantime', async () => {
    const rig = createUploadRig({ faultOf: faultsOn({ groupFiles: always('break') }) });
    const ended = rig.upload(...contents);
    await rig.clock.sleep(60_000, new AbortController().signal);
    await rig.engine.cancel();
    await ended;
    expect(rig.engine.getState()).toEqual({ phase: 'cancelled' });
    expectNothingLeft(rig.server);
  });

  it('can be grouped by a later tab', async () => {
    const rig = createUploadRig({ faultOf: faultsOn({ groupFiles: ['hang'] }) });
    const resumeRecord = createFakeResumeRecord();
    void rig.engine.start({ ...request, resumeRecord });
    await rig.clock.sleep(1, new AbortController().signal);
    const resume = resumeRecord.read();
    const next = createUploadRig({ server: rig.server });
    await next.engine.start({ ...request, resume });
    await expectUploaded(next, contents);
    expect(next.engine.getState()).not.toHaveProperty('separatePages');
  });

  it('end the upload if one of them is gone', async () => {
    const rig: UploadRig = createUploadRig({
      faultOf({ name }) {
        const [id = ''] = rig.server.files.keys();
        if (name === 'groupFiles') rig.server.files.delete(id);
        return undefined;
      },
    });
    await rig.upload(...contents);
    expectUploadFailed(rig, 'NOT_FOUND');
  });
});

describe('a group whose response is lost', () => {
  it('is found on the page of the first file', async () => {
    const rig = createUploadRig({ faultOf: faultsOn({ groupFiles: always('drop-after') }) });
    await rig.upload(...contents);
    await expectUploaded(rig, contents);
    const [[pageId, fileIds] = []] = rig.server.pages;
    expect(rig.engine.getState()).toEqual({ phase: 'done', pageId, fileIds });
  });

  it.each(['break', 'drop-after'] as const)('leaves a single file on its page: %s', async (fault) => {
    const rig = createUploadRig({ faultOf: faultsOn({ groupFiles: always(fault) }) });
    await rig.upload(...contents.slice(0, 1));
    await expectUploaded(rig, contents.slice(0, 1));
    expect(rig.engine.getState()).toMatchObject({ pageId: pagesOf(rig)[0]?.pageId });
    expect(rig.engine.getState()).not.toHaveProperty('separatePages');
  });

  it('ends the upload of a single file if its title would be lost', async () => {
    const rig = createUploadRig({ faultOf: faultsOn({ groupFiles: always('break') }) });
    await rig.engine.start({ ...request, files: request.files.slice(0, 1), note: { title: 'Plans' } });
    expect(rig.engine.getState()).toMatchObject({ phase: 'failed' });
    expectNothingLeft(rig.server);
  });

  it('does not end the upload of a single file whose title is stored', async () => {
    const rig = createUploadRig({ faultOf: faultsOn({ groupFiles: always('drop-after') }) });
    await rig.engine.start({ ...request, files: request.files.slice(0, 1), note: { title: 'Plans' } });
    await expectUploaded(rig, contents.slice(0, 1));
  });
});
