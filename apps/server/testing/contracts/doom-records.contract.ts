// The contract of deleting files.
import { expect, it } from 'vitest';
import { caller, DAY, type MetadataFixture, newCompletion, newId, NOW, PAGE_LIMITS } from './metadata-fixture.ts';
import { NO_LIMITS } from '../no-limits.ts';

export function describeDoomRecords(fixture: MetadataFixture): void {
  const { aFile, anUpload, open } = fixture;

  it('dooms an incomplete upload, but not a complete one', async () => {
    const upload = await anUpload();
    expect(await fixture.store.doomUpload(upload.fileKey, 'another', NOW)).toBeUndefined();
    expect(await fixture.store.doomUpload(upload.fileKey, upload.uploadId, NOW)).toMatchObject({ id: upload.id });
    expect(await fixture.store.findUpload(upload.fileKey, upload.uploadId, NOW)).toBeUndefined();
    expect(await fixture.store.completeUpload(upload.fileKey, newCompletion())).toEqual({ outcome: 'not-found' });
    const file = await aFile();
    expect(await fixture.store.doomUpload(file.fileKey, file.uploadId, NOW)).toBeUndefined();
  });

  it('dooms a file at its limit whose last grant ended before a crash', async () => {
    const file = await aFile({ maxDownloads: 1 });
    await fixture.store.takeGrant(file.id, caller('a'), NOW + DAY, () => true);
    await fixture.store.endGrant(file.id, caller('a'));
    await fixture.store.doomOverdue(NOW, 1000);
    expect((await fixture.store.claimDoomed(NOW, 1, 1000)).map(({ id }) => id)).toContain(file.id);
  });

  it('dooms overdue files, a bounded number at a time, and deletes their rows on request', async () => {
    const later = NOW + 100 * DAY;
    const abandoned = await anUpload({ expiresAtMs: later });
    const touched = await anUpload({ expiresAtMs: later });
    await fixture.store.recordSentBytes(touched.fileKey, 1, NOW, later + DAY);
    const expired = await aFile({}, { expiresAtMs: later });
    const usedUp = await aFile({ maxDownloads: 1 }, { expiresAtMs: later + DAY });
    await fixture.store.takeGrant(usedUp.id, caller('a', later - 10), later, () => true);
    while ((await fixture.store.doomOverdue(later, 1)) > 0);
    const doomed = (await fixture.store.claimDoomed(later, DAY, 1000)).map(({ id }) => id);
    expect(doomed).toEqual(expect.arrayContaining([abandoned.id, expired.id, usedUp.id]));
    expect(doomed).not.toContain(touched.id);
    expect(await fixture.store.claimDoomed(later + DAY - 1, DAY, 1000)).toEqual([]);
    expect(await fixture.store.claimDoomed(later + DAY, DAY, 1)).toHaveLength(1);
    for (const id of doomed) await fixture.store.forget(id);
    expect(await fixture.store.claimDoomed(later + 9 * DAY, DAY, 1)).toEqual([]);
  });

  it('claims the doomed file that has waited longest, however often another was claimed before', async () => {
    const { store: empty, discard: discardEmpty } = await open();
    const template = await anUpload();
    for (const [id, doomedAtMs] of [
      ['second', NOW + 2],
      ['third', NOW + 3],
      ['first', NOW + 1],
    ] as const) {
      await empty.insertUpload({ ...template, id, fileKey: id }, NO_LIMITS);
      await empty.doomUpload(id, template.uploadId, doomedAtMs);
    }
    const claimAt = async (nowMs: number) => (await empty.claimDoomed(nowMs, 2, 1)).map(({ id }) => id);
    expect([await claimAt(NOW + 3), await claimAt(NOW + 5), await claimAt(NOW + 6), await claimAt(NOW + 7)]).toEqual([
      ['first'],
      ['second'],
      ['third'],
      ['first'],
    ]);
    await discardEmpty();
  });

  it('returns the keys without a row, and lists live files by key', async () => {
    const [file, upload] = [await aFile(), await anUpload()];
    const stray = newId();
    expect(await fixture.store.unknownKeys([file.fileKey, stray, upload.fileKey])).toEqual([stray]);
    expect(await fixture.store.unknownKeys([])).toEqual([]);
    const all = await fixture.store.listLiveKeys('', 10_000);
    expect(all.map(({ fileKey }) => fileKey)).toEqual(all.map(({ fileKey }) => fileKey).toSorted());
    expect(all).toContainEqual({ id: file.id, fileKey: file.fileKey });
    expect(all.map(({ id }) => id)).not.toContain(upload.id);
    expect(await fixture.store.listLiveKeys(all[0]?.fileKey ?? '', 1)).toEqual(all.slice(1, 2));
  });

  it('deletes the list of a page together with the row of its last file, whichever that is', async () => {
    const [one, two, three] = [await aFile(), await aFile(), await aFile()];
    await fixture.store.groupFiles([one.id, two.id, three.id], 'sealed', PAGE_LIMITS, NOW);
    const listed = async () => (await fixture.store.listPage(one.pageId, caller('a'))).list;
    for (const { id } of [one, three]) {
      await fixture.store.doomFile(id, NOW);
      await fixture.store.forget(id);
      expect(await listed()).toBe('sealed');
    }
    await fixture.store.doomFile(two.id, NOW);
    expect(await listed()).toBe('sealed');
    await fixture.store.forget(two.id);
    expect(await listed()).toBeUndefined();
  });

  it('keeps the lists of other pages', async () => {
    const [kept, alone, open] = [await aFile(), await aFile(), await anUpload()];
    await fixture.store.groupFiles([kept.id], 'sealed', PAGE_LIMITS, NOW);
    await fixture.store.doomFile(alone.id, NOW);
    await fixture.store.doomUpload(open.fileKey, open.uploadId, NOW);
    for (const { id } of [alone, open]) await fixture.store.forget(id);
    expect((await fixture.store.listPage(kept.pageId, caller('a'))).list).toBe('sealed');
  });

  it('deletes only rows of doomed files', async () => {
    const file = await aFile();
    await fixture.store.forget(file.id);
    expect(await fixture.store.findFile(file.id, caller('a'))).toBeDefined();
  });
}
