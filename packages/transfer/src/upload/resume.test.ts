import type { EndpointName } from '@furoshiki/api';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeResumeRecord } from '../../testing/fake-resume-record.ts';
import { always, faultsOn } from '../../testing/faults.ts';
import { expectNothingLeft, expectUploaded } from '../../testing/outcomes.ts';
import {
  CHUNK_BYTES,
  createUploadRig,
  cryptoOf,
  key,
  localFile,
  randomBytes,
  type UploadRig,
} from '../../testing/rigs.ts';
import type { UploadCheckpoint } from './resume/journal.ts';
import { completionOf } from './upload-file.ts';
import { uploadProgress } from './progress.ts';
import { createSealing } from './sealing.ts';

const contents = [randomBytes(4 * CHUNK_BYTES), randomBytes(7 * CHUNK_BYTES + 5), randomBytes(3)];
const PARTS = 4 + 8 + 1;
const LANES = 3;
const request = { files: contents.map(localFile), key, downloadLimit: 5, retentionDays: 1 as const };

/** Uploads until just before the nth operation of a name, when the tab is closed. Returns its resume record. */
async function interruptAt(
  at: EndpointName | 'put',
  nth: number,
): Promise<{ rig: UploadRig; resume: UploadCheckpoint; lostParts: number }> {
  const resumeRecord = createFakeResumeRecord();
  let isClosed = false;
  let lostParts = 0;
  const rig = createUploadRig({
    lanes: LANES,
    faultOf({ name, nth: current }) {
      if (name === at && current === nth) isClosed = true;
      if (isClosed && name === 'put') lostParts += 1;
      return isClosed ? 'hang' : undefined;
    },
  });
  void rig.engine.start({ ...request, resumeRecord });
  // Long enough for everything that runs, too short for any timeout.
  await rig.clock.sleep(1, new AbortController().signal);
  rig.clock.stop();
  return { rig, resume: resumeRecord.read(), lostParts };
}

/** Resumes in another tab, with the server as the first tab left it. */
async function resumeUpload({ rig, resume }: { rig: UploadRig; resume: UploadCheckpoint }): Promise<UploadRig> {
  const next = createUploadRig({ lanes: LANES, server: rig.server });
  await next.engine.start({ ...request, resume, resumeRecord: createFakeResumeRecord() });
  return next;
}

describe('an upload whose page was closed', () => {
  it.each<[EndpointName | 'put', number]>([
    ['initUpload', 1],
    ['put', 1],
    ['put', 3],
    ['completePart', 2],
    ['uploadStatus', 1],
    ['completeUpload', 1],
    ['initUpload', 2],
    ['put', 9],
    ['completePart', 9],
    ['completeUpload', 3],
    ['groupFiles', 1],
  ])('at %s %d is resumed and sends again no more than was in progress', async (at, nth) => {
    const interrupted = await interruptAt(at, nth);
    const next = await resumeUpload(interrupted);
    await expectUploaded(next, contents);
    expect(next.server.counts.get('put')).toBeLessThanOrEqual(PARTS + LANES);
  });

  it('sends no arrived part again', async () => {
    const interrupted = await interruptAt('uploadStatus', 2);
    const next = await resumeUpload(interrupted);
    await expectUploaded(next, contents);
    expect(next.server.counts.get('put')).toBe(PARTS + interrupted.lostParts);
  });

  it('shows the arrived parts from the start', async () => {
    const { rig, resume } = await interruptAt('put', 10);
    const next = createUploadRig({ lanes: LANES, server: rig.server });
    const firsts: string[] = [];
    next.engine.subscribe(() => {
      const state = next.engine.getState();
      if ('parts' in state && state.fileIndex === 1) firsts.push(state.parts.map(({ step }) => step).join(' '));
    });
    await next.engine.start({ ...request, resume });
    expect(firsts).toContainEqual(expect.stringMatching(/^(reported ){5}waiting waiting waiting$/u));
  });

  it.each<[EndpointName | 'put', number, number]>([
    ['put', 10, 2 * CHUNK_BYTES + 5 + 3],
    ['completeUpload', 2, 3],
  ])('at %s %d counts only the %d remaining bytes as progress', async (at, nth, bytesLeft) => {
    const { rig, resume } = await interruptAt(at, nth);
    const next = createUploadRig({ lanes: LANES, server: rig.server });
    const moved: number[] = [];
    next.engine.subscribe(() => {
      const progress = uploadProgress(next.engine.getState());
      if (progress) moved.push(progress.loadedBytes - progress.arrivedBytes);
    });
    await next.engine.start({ ...request, resume });
    expect([moved[0], moved.at(-1)]).toEqual([0, bytesLeft]);
  });

  it('sends a part again if the server has another ETag than the checkpoint', async () => {
    const { rig, resume, lostParts } = await interruptAt('uploadStatus', 1);
    const [upload] = rig.server.uploads.values();
    const part = upload?.parts.get(2);
    if (part) part.etag = '"other"';
    const next = await resumeUpload({ rig, resume });
    await expectUploaded(next, contents);
    expect(next.server.counts.get('put')).toBe(PARTS + lostParts + 1);
  });

  it('does not send a file again that was completed but not recorded', async () => {
    const { rig, resume, lostParts } = await interruptAt('completeUpload', 1);
    rig.server.faultOf = () => undefined;
    const sealing = await createSealing(cryptoOf(rig.clock), key, resume.pageSalt);
    const body = completionOf(resume.open[0]!, sealing);
    await rig.server.api.call('completeUpload', { body });
    const next = await resumeUpload({ rig, resume });
    await expectUploaded(next, contents);
    expect(next.server.counts.get('put')).toBe(PARTS + lostParts);
  });

  it('fails after four attempts if nothing says whether a file was completed, and does not send it again', async () => {
    const { rig, resume } = await interruptAt('completeUpload', 1);
    const done = resume.open.filter(({ fileIndex }) => fileIndex === 0);
    const [before, puts] = [rig.server.counts.get('completeUpload') ?? 0, rig.server.counts.get('put')];
    const faultOf = ({ name }: { name: string }) => (name === 'completeUpload' ? 'drop-before' : undefined);
    const next = createUploadRig({ lanes: LANES, server: rig.server, faultOf });
    await next.engine.start({ ...request, files: request.files.slice(0, 1), resume: { ...resume, open: done } });
    expect(next.engine.getState()).toMatchObject({ phase: 'failed', failure: { code: 'NETWORK' } });
    expect([next.server.counts.get('completeUpload'), next.server.counts.get('put')]).toEqual([before + 4, puts]);
  });

  it('has each file in one list of its checkpoint: open, or completed', async () => {
    const { resume } = await interruptAt('groupFiles', 1);
    expect(resume.open).toEqual([]);
    expect(resume.completed.map(({ fileIndex }) => fileIndex).toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
  });

  it('starts the file again if the server has deleted its upload', async () => {
    const { rig, resume } = await interruptAt('put', 9);
    for (const [id, { completion }] of rig.server.uploads) if (!completion) rig.server.uploads.delete(id);
    const next = await resumeUpload({ rig, resume });
    await expectUploaded(next, contents);
  });

  it.each<[EndpointName | 'put', number]>([
    ['initUpload', 1],
    ['put', 1],
    ['put', 9],
    ['completeUpload', 1],
    ['groupFiles', 1],
  ])('continues after it was suspended at %s %d', async (at, nth) => {
    const resumeRecord = createFakeResumeRecord();
    const reached = Promise.withResolvers<void>();
    const rig = createUploadRig({
      lanes: LANES,
      faultOf({ name, nth: current }) {
        if (name === at && current === nth) reached.resolve();
        return undefined;
      },
    });
    const ended = rig.engine.start({ ...request, resumeRecord });
    await reached.promise;
    await rig.engine.cancel('keep');
    await ended;
    expect([rig.engine.getState().phase, rig.server.counts.get('cancelUpload')]).toEqual(['cancelled', undefined]);
    expect(resumeRecord.isStored()).toBe(true);
    const next = await resumeUpload({ rig, resume: resumeRecord.read() });
    await expectUploaded(next, contents);
  });

  it('removes everything when it is cancelled after the resume', async () => {
    const { rig, resume } = await interruptAt('put', 9);
    const next = createUploadRig({ server: rig.server });
    const ended = next.engine.start({ ...request, resume });
    await next.engine.cancel();
    await ended;
    expectNothingLeft(next.server);
  });
});

describe('the resume record', () => {
  it('is removed when the upload is done', async () => {
    const resumeRecord = createFakeResumeRecord();
    await createUploadRig().engine.start({ ...request, resumeRecord });
    expect(resumeRecord.isStored()).toBe(false);
  });

  it.each(['fails', 'is cancelled'])('is removed when the upload %s', async (end) => {
    const resumeRecord = createFakeResumeRecord();
    const rig = createUploadRig({ faultOf: faultsOn({ put: end === 'fails' ? always('break') : ['hang'] }) });
    const ended = rig.engine.start({ ...request, resumeRecord });
    await rig.clock.sleep(1, new AbortController().signal);
    expect(resumeRecord.isStored()).toBe(true);
    if (end === 'is cancelled') await rig.engine.cancel();
    await ended;
    expect([resumeRecord.isStored(), rig.engine.getState().phase]).toEqual([
      false,
      end === 'fails' ? 'failed' : 'cancelled',
    ]);
  });
});

describe('a page that is closed', () => {
  let rig: UploadRig;
  beforeEach(() => {
    rig = createUploadRig({ faultOf: ({ name, nth }) => (name === 'put' && nth > 6 ? 'hang' : undefined) });
  });
  const left = async () => {
    await rig.clock.sleep(1, new AbortController().signal);
    rig.engine.leave();
    await rig.clock.sleep(1, new AbortController().signal);
  };

  it('removes its upload and completed files if they cannot be resumed', async () => {
    void rig.engine.start(request);
    await left();
    expectNothingLeft(rig.server);
  });

  it('keeps what can be resumed', async () => {
    const resumeRecord = createFakeResumeRecord();
    void rig.engine.start({ ...request, resumeRecord });
    await left();
    expect([rig.server.files.size, rig.server.counts.get('cancelUpload')]).toEqual([1, undefined]);
  });

  it('sends nothing if nothing runs or everything is complete', async () => {
    rig = createUploadRig();
    rig.engine.leave();
    await rig.engine.start(request);
    await left();
    await expectUploaded(rig, contents);
    expect(rig.server.counts.get('cancelUpload')).toBeUndefined();
  });
});
