import { openPage, paddedSize } from '@furoshiki/format';
import { describe, expect, it } from 'vitest';
import {
  CHUNK_BYTES,
  createUploadRig,
  key,
  localFile,
  openStored,
  randomBytes,
  subtle,
  type UploadRig,
} from '../../testing/rigs.ts';

const contents = [3, 1024, 1025, 5000].map(randomBytes);
const files = contents.map((content, index) => ({ ...localFile(content, index), contentType: 'text/secret' }));
const request = { files, key, downloadLimit: 5, retentionDays: 1, hidesNames: true } as const;

async function openOnlyPage({ server }: UploadRig) {
  const [pageID = ''] = server.pages.keys();
  const page = await server.api.call('page', { params: { pageID } });
  return { page, opened: await openPage(subtle, key, page) };
}

describe('an upload with hidden names', () => {
  it('tells the server neither names nor types nor exact sizes', async () => {
    const rig = createUploadRig();
    await rig.engine.start(request);
    const told = [...rig.server.uploads.values()].map(({ init }) => init);
    expect(told.map(({ fileName }) => fileName)).toEqual(['file-1', 'file-2', 'file-3', 'file-4']);
    expect(new Set(told.map(({ contentType }) => contentType))).toEqual(new Set(['application/octet-stream']));
    expect(told.map(({ fileSize }) => fileSize)).toEqual([1024, 1024, 1088, 5120]);
    const { page, opened } = await openOnlyPage(rig);
    expect(JSON.stringify([page, told])).not.toMatch(/\.bin|secret/u);
    expect([...opened.files.values()].map(({ details }) => details)).toEqual(
      files.map(({ name, size }) => ({
        name,
        size,
        type: 'text/secret',
        fileSize: paddedSize(size),
        chunkSize: CHUNK_BYTES,
        fileCount: 4,
      })),
    );
    const stored = await Promise.all([...rig.server.files.values()].map(openStored));
    expect(stored).toEqual(contents);
  });

  it('counts the padding in its progress', async () => {
    const rig = createUploadRig();
    const totals = new Set<number>();
    rig.engine.subscribe(() => {
      const state = rig.engine.getState();
      if ('totalBytes' in state) totals.add(state.totalBytes);
    });
    await rig.engine.start(request);
    expect([...totals]).toEqual([contents.reduce((sum, { length }) => sum + paddedSize(length), 0)]);
  });

  it('seals the note for the recipient into the list', async () => {
    const rig = createUploadRig();
    await rig.engine.start({ ...request, note: { title: 'Photos', message: 'Of the trip' } });
    const { opened } = await openOnlyPage(rig);
    expect(opened.list).toMatchObject({ title: 'Photos', message: 'Of the trip' });
    expect(opened.list?.files).toHaveLength(4);
  });

  it.each(['title', 'message'])(
    'sends nothing if no client would open the list, because of a long %s',
    async (name) => {
      const rig = createUploadRig();
      await rig.engine.start({ ...request, note: { [name]: 'x'.repeat(281) } });
      expect(rig.engine.getState()).toMatchObject({ phase: 'failed', failure: { code: 'ENCRYPTION_FAILED' } });
      expect(rig.server.counts).toEqual(new Map());
      await rig.engine.start({ ...request, note: { [name]: 'x'.repeat(280) } });
      expect((await openOnlyPage(rig)).opened.list).toMatchObject({ [name]: 'x'.repeat(280) });
    },
  );
});
