// The contract of files and pages.
import { expect, it } from 'vitest';
import type { PageLimits } from '../../src/ports/metadata-store.ts';
import { caller, DAY, FORMAT_2, type MetadataFixture, newId, NOW, PAGE_LIMITS } from './metadata-fixture.ts';

export function describeFileRecords(fixture: MetadataFixture): void {
  const { aFile } = fixture;

  it('shows a file to every call until the millisecond in which it expires', async () => {
    const file = await aFile();
    const shown = {
      fileName: file.fileName,
      isEncrypted: true,
      currentDownloads: 0,
      maxDownloads: 5,
      granted: false,
    };
    const last = caller('a', NOW + 2 * DAY - 1);
    const gone = caller('a', NOW + 2 * DAY);
    expect(await fixture.store.findFile(file.id, last)).toMatchObject(shown);
    expect(await fixture.store.findFileByKey(file.fileKey, last)).toMatchObject({ id: file.id, ...shown });
    expect((await fixture.store.listPage(file.pageId, last)).files).toHaveLength(1);
    expect(await fixture.store.findFile(file.id, gone)).toBeUndefined();
    expect(await fixture.store.findFileByKey(file.fileKey, gone)).toBeUndefined();
    expect((await fixture.store.listPage(file.pageId, gone)).files).toEqual([]);
    expect(await fixture.store.takeGrant(file.id, gone, gone.nowMs + 1, () => true)).toEqual({ outcome: 'not-found' });
    expect(await fixture.store.doomFile(file.id, gone.nowMs)).toBeUndefined();
  });

  it('shows no deleted file, also while its bytes are being removed', async () => {
    const file = await aFile();
    await fixture.store.doomFile(file.id, NOW);
    // It gets the time until which it is leased.
    expect((await fixture.store.claimDoomed(NOW, DAY, 1000)).map(({ id }) => id)).toContain(file.id);
    expect(await fixture.store.findFile(file.id, caller('a'))).toBeUndefined();
    expect(await fixture.store.findFileByKey(file.fileKey, caller('a'))).toBeUndefined();
    expect((await fixture.store.listPage(file.pageId, caller('a'))).files).toEqual([]);
    expect(await fixture.store.takeGrant(file.id, caller('a'), NOW + 1, () => true)).toEqual({ outcome: 'not-found' });
  });

  it('groups files in the given order on the page of the first, and returns the same page for a repeated call', async () => {
    const group = (list?: string) => fixture.store.groupFiles(ids, list, PAGE_LIMITS, NOW);
    const files = [await aFile(), await aFile(), await aFile()].toReversed();
    const ids = files.map(({ id }) => id);
    const [pageId = '', ...others] = files.map((file) => file.pageId);
    expect(await group('first list')).toEqual({ outcome: 'grouped', pageId });
    const page = await fixture.store.listPage(pageId, caller('a'));
    expect(page.files.map(({ id }) => id)).toEqual(ids);
    expect(page.list).toBe('first list');
    for (const other of others)
      expect(await fixture.store.listPage(other, caller('a'))).toEqual({ files: [], list: undefined });
    expect([await group('second list'), await group()]).toEqual([
      { outcome: 'grouped', pageId },
      { outcome: 'grouped', pageId },
    ]);
    expect((await fixture.store.listPage(pageId, caller('a'))).list).toBe('first list');
  });

  it('adds no list to a page that was grouped without one', async () => {
    const file = await aFile();
    for (const list of [undefined, 'late'])
      expect(await fixture.store.groupFiles([file.id], list, PAGE_LIMITS, NOW)).toMatchObject({ outcome: 'grouped' });
    expect((await fixture.store.listPage(file.pageId, caller('a'))).list).toBeUndefined();
  });

  it('groups all files or none', async () => {
    const [one, two] = [await aFile({}, { ...FORMAT_2, details: 'x'.repeat(70) }), await aFile({}, FORMAT_2)];
    const group = (ids: string[], limits: Partial<PageLimits> = {}) =>
      fixture.store.groupFiles(ids, 'sealed', { ...PAGE_LIMITS, ...limits }, NOW);
    const both = [one.id, two.id];
    const exact = { totalBytes: 2000, namesLength: 2 * one.fileName.length, detailsLength: 71 };
    expect(await group([one.id, newId()])).toEqual({ outcome: 'not-found' });
    const isUploader = (id: string, uploaderHash: string | null) => uploaderHash === 'uploader' && id === one.id;
    expect(await group(both, { isUploader })).toEqual({ outcome: 'not-allowed' });
    for (const [limit, max] of Object.entries(exact))
      expect(await group(both, { ...exact, [limit]: max - 1 })).toEqual({ outcome: 'too-large' });
    const { files, list } = await fixture.store.listPage(one.pageId, caller('a'));
    expect([files.length, list]).toEqual([1, undefined]);
    expect(await group(both, exact)).toMatchObject({ outcome: 'grouped' });
  });

  it('moves no file away from a closed page', async () => {
    const [one, two, mine] = [await aFile(), await aFile(), await aFile()];
    await fixture.store.groupFiles([one.id, two.id], 'sealed', PAGE_LIMITS, NOW);
    expect(await fixture.store.groupFiles([one.id], 'other', PAGE_LIMITS, NOW)).toEqual({ outcome: 'already-grouped' });
    expect(await fixture.store.groupFiles([one.id, mine.id], 'other', PAGE_LIMITS, NOW)).toEqual({
      outcome: 'already-grouped',
    });
    expect((await fixture.store.listPage(one.pageId, caller('a'))).list).toBe('sealed');
  });
}
