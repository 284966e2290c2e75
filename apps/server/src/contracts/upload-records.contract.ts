// The contract of uploads and daily volumes.
import { expect, it } from 'vitest';
import { caller, DAY, newId, NOW, type MetadataFixture } from './metadata-fixture.ts';

export function describeUploadRecords(fixture: MetadataFixture): void {
  const { aFile, anUpload, open } = fixture;

  it('finds an upload only by both of its ids', async () => {
    const { expiresAtMs: _, storedSize: __, ...upload } = await anUpload();
    expect(await fixture.store.findUpload(upload.fileKey, upload.uploadId, NOW)).toEqual({
      ...upload,
      pageId: undefined,
    });
    expect(await fixture.store.findUpload(upload.fileKey, 'another', NOW)).toBeUndefined();
  });

  it('finds neither an abandoned upload nor the upload of an expired file', async () => {
    const upload = await anUpload();
    const file = await aFile();
    expect(await fixture.store.findUpload(upload.fileKey, upload.uploadId, NOW + DAY)).toBeUndefined();
    expect(await fixture.store.findUpload(file.fileKey, file.uploadId, NOW + 2 * DAY - 1)).toBeDefined();
    expect(await fixture.store.findUpload(file.fileKey, file.uploadId, NOW + 2 * DAY)).toBeUndefined();
  });

  it('completes an upload once, and returns the first page from then on', async () => {
    const { fileKey, uploadId, pageId } = await aFile();
    const again = { pageId: newId(), salt: 'x', keyCheck: 'x', createdAtMs: NOW + 5, expiresAtMs: NOW + 9 };
    expect(await fixture.store.completeUpload(fileKey, again)).toBe(pageId);
    expect((await fixture.store.findUpload(fileKey, uploadId, NOW))?.pageId).toBe(pageId);
    expect((await fixture.store.listPage(pageId, caller('a')))[0]).toMatchObject({ salt: 's', createdAtMs: NOW });
  });

  it('reserves the bytes of an upload up to a limit, and releases them when its row is deleted', async () => {
    const { store: empty, discard: discardEmpty } = await open();
    const insert = (id: string, storedSize: number) =>
      empty.insertUpload({ ...template, id, fileKey: id, storedSize }, 100);
    const template = await anUpload();
    expect([await insert('a', 60), await insert('b', 60), await insert('c', 40)]).toEqual([true, false, true]);
    expect(await empty.uploadingBytes()).toBe(100);
    expect(await insert('d', 1)).toBe(false);
    await empty.doomUpload('a', template.uploadId, NOW);
    expect(await insert('d', 1)).toBe(false);
    await empty.forget('a');
    await empty.forget('a');
    expect([await insert('d', 60), await insert('e', 1)]).toEqual([true, false]);
    await discardEmpty();
  });

  it('counts what an address uploads per day, up to a limit', async () => {
    const spend = (address: string, day: string, bytes: number) => fixture.store.spendVolume(address, day, bytes, 100);
    expect(await spend('a', '2027-01-01', 101)).toBe(false);
    const spent = await Promise.all([60, 60, 60].map((bytes) => spend('a', '2027-01-01', bytes)));
    expect(spent.filter(Boolean)).toHaveLength(1);
    expect([await spend('a', '2027-01-01', 41), await spend('a', '2027-01-01', 40)]).toEqual([false, true]);
    expect(await spend('b', '2027-01-01', 100)).toBe(true);
    expect(await spend('a', '2027-01-02', 100)).toBe(true);
    await fixture.store.forgetVolumes('2027-01-02', 100);
    expect(await spend('a', '2027-01-01', 100)).toBe(true);
    expect(await spend('a', '2027-01-02', 1)).toBe(false);
  });

  it('forgets a bounded number of old volumes at a time', async () => {
    const { store, discard } = await open();
    const days = ['2027-01-01', '2027-01-02', '2027-01-03'];
    for (const day of days) await store.spendVolume('a', day, 100, 100);
    await store.forgetVolumes('2027-01-04', 2);
    const spent = [];
    for (const day of days) spent.push(await store.spendVolume('a', day, 1, 100));
    expect(spent.filter(Boolean)).toHaveLength(2);
    await discard();
  });
}
