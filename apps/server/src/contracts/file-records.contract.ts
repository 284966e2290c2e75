// The contract of files and pages.
import { expect, it } from 'vitest';
import { caller, DAY, newId, NOW, type MetadataFixture } from './metadata-fixture.ts';

const PAGE_LIMITS = { totalBytes: 10_000, namesLength: 1000 };

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
    expect(await fixture.store.listPage(file.pageId, last)).toHaveLength(1);
    expect(await fixture.store.findFile(file.id, gone)).toBeUndefined();
    expect(await fixture.store.findFileByKey(file.fileKey, gone)).toBeUndefined();
    expect(await fixture.store.listPage(file.pageId, gone)).toEqual([]);
    expect(await fixture.store.takeGrant(file.id, gone, gone.nowMs + 1)).toEqual({ outcome: 'not-found' });
    expect(await fixture.store.doomFile(file.id, gone.nowMs)).toBeUndefined();
  });

  it('groups files in the given order on the page of the first, and returns the same page for a repeated call', async () => {
    const files = [await aFile(), await aFile(), await aFile()].toReversed();
    const ids = files.map(({ id }) => id);
    const [pageId = '', ...others] = files.map((file) => file.pageId);
    expect(await fixture.store.groupFiles(ids, PAGE_LIMITS, NOW)).toEqual({ outcome: 'grouped', pageId });
    expect((await fixture.store.listPage(pageId, caller('a'))).map(({ id }) => id)).toEqual(ids);
    for (const other of others) expect(await fixture.store.listPage(other, caller('a'))).toEqual([]);
    expect(await fixture.store.groupFiles(ids, PAGE_LIMITS, NOW)).toEqual({ outcome: 'grouped', pageId });
  });

  it('groups all files or none', async () => {
    const [one, two] = [await aFile(), await aFile()];
    const group = (ids: string[], totalBytes = 10_000) =>
      fixture.store.groupFiles(ids, { ...PAGE_LIMITS, totalBytes }, NOW);
    expect(await group([one.id, newId()])).toEqual({ outcome: 'not-found' });
    expect(await group([one.id, two.id], 1999)).toEqual({ outcome: 'too-large' });
    expect(await fixture.store.listPage(one.pageId, caller('a'))).toHaveLength(1);
    const manyNames = { totalBytes: 2000, namesLength: 2 * one.fileName.length - 1 };
    expect(await fixture.store.groupFiles([one.id, two.id], manyNames, NOW)).toEqual({ outcome: 'too-large' });
    expect(await group([one.id, two.id], 2000)).toMatchObject({ outcome: 'grouped' });
  });

  it('moves no file away from a closed page', async () => {
    const [one, two, mine] = [await aFile(), await aFile(), await aFile()];
    await fixture.store.groupFiles([one.id, two.id], PAGE_LIMITS, NOW);
    expect(await fixture.store.groupFiles([one.id], PAGE_LIMITS, NOW)).toEqual({ outcome: 'already-grouped' });
    expect(await fixture.store.groupFiles([one.id, mine.id], PAGE_LIMITS, NOW)).toEqual({
      outcome: 'already-grouped',
    });
  });
}
