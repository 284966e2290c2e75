// The contract of uploads and daily volumes.
import { expect, it } from 'vitest';
import type { ReservationLimits } from '../../src/ports/metadata-store.ts';
import {
  caller,
  DAY,
  FORMAT_2,
  type MetadataFixture,
  newCompletion,
  newUpload,
  NOW,
  PAGE_LIMITS,
} from './metadata-fixture.ts';
import { NO_LIMITS } from '../no-limits.ts';

export function describeUploadRecords(fixture: MetadataFixture): void {
  const { aFile, anUpload, open } = fixture;

  it('finds an upload only by both of its ids', async () => {
    const upload = await anUpload();
    const found = await fixture.store.findUpload(upload.fileKey, upload.uploadId, NOW);
    const opened = { pageId: undefined, activeAtMs: upload.openedAtMs, releasedBytes: 0 };
    expect({ ...upload, ...opened }).toMatchObject(found ?? {});
    expect(found?.openedAtMs).toBe(upload.openedAtMs);
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
    const again = newCompletion({ ...FORMAT_2, salt: 'x', createdAtMs: NOW + 5, expiresAtMs: NOW + 9 });
    expect(await fixture.store.completeUpload(fileKey, again)).toEqual({ outcome: 'completed', pageId });
    expect((await fixture.store.findUpload(fileKey, uploadId, NOW))?.pageId).toBe(pageId);
    const { files } = await fixture.store.listPage(pageId, caller('a'));
    expect(files[0]).toMatchObject({ format: 1, salt: 's', pageSalt: undefined, createdAtMs: NOW });
  });

  it('keeps what the sender says about the encryption', async () => {
    const file = await aFile({}, FORMAT_2);
    const kept = { ...FORMAT_2, salt: 's', keyCheck: 'k' };
    expect((await fixture.store.listPage(file.pageId, caller('a'))).files).toMatchObject([kept]);
    expect(await fixture.store.findFile(file.id, caller('a'))).toMatchObject(kept);
    const old = await aFile();
    const none = { format: 1, pageSalt: undefined, accessCheck: undefined, details: undefined };
    expect(await fixture.store.findFile(old.id, caller('a'))).toMatchObject(none);
  });

  it('reserves the bytes of an upload up to a limit, and releases them when its row is deleted', async () => {
    const { store: empty, discard: discardEmpty } = await open();
    const insert = (id: string, storedSize: number) =>
      empty.insertUpload(newUpload({ id, fileKey: id, uploadId: 'upload', storedSize }), {
        ...NO_LIMITS,
        storedBytes: 100,
      });
    expect([await insert('a', 60), await insert('b', 60), await insert('c', 40)]).toEqual([
      'reserved',
      'storage-full',
      'reserved',
    ]);
    expect(await insert('d', 1)).toBe('storage-full');
    await empty.doomUpload('a', 'upload', NOW);
    expect(await insert('d', 1)).toBe('storage-full');
    await empty.forget('a');
    await empty.forget('a');
    expect([await insert('d', 60), await insert('e', 1)]).toEqual(['reserved', 'storage-full']);
    await discardEmpty();
  });

  it('limits the bytes that were announced and have not arrived, of all addresses and of one', async () => {
    const { store, discard } = await open();
    const insert = (id: string, addressHash: string, limits: Partial<ReservationLimits>) =>
      store.insertUpload(newUpload({ id, fileKey: id, storedSize: 60, addressHash }), { ...NO_LIMITS, ...limits });
    expect(await insert('a', 'one', {})).toBe('reserved');
    expect(await insert('b', 'two', { unsentBytes: 119 })).toBe('storage-full');
    expect(await insert('b', 'one', { unsentBytesOfAddress: 119 })).toBe('too-much-unsent');
    expect(await insert('b', 'two', { unsentBytesOfAddress: 119, unsentBytes: 120 })).toBe('reserved');
    await store.recordSentBytes('a', 1, NOW, NOW + DAY);
    expect(await insert('c', 'one', { unsentBytesOfAddress: 118 })).toBe('too-much-unsent');
    expect(await insert('c', 'one', { unsentBytesOfAddress: 119 })).toBe('reserved');
    await store.completeUpload('b', newCompletion());
    expect(await insert('d', 'two', { unsentBytes: 178 })).toBe('storage-full');
    expect(await insert('d', 'one', { openUploadsOfAddress: 2 })).toBe('too-much-unsent');
    // A refused reservation leaves nothing behind.
    expect((await store.tally()).storedBytes).toBe(180);
    await discard();
  });

  it('limits what all addresses of a network have announced, in bytes, in number and in its share of the room', async () => {
    const { store, discard } = await open();
    const insert = (id: string, network: string | undefined, limits: Partial<ReservationLimits>) =>
      store.insertUpload(
        newUpload({
          id,
          fileKey: id,
          uploadId: id,
          storedSize: 60,
          addressHash: id,
          network: network === undefined ? undefined : { addressHash: network, factor: 4 },
        }),
        { ...NO_LIMITS, ...limits },
      );
    expect(await insert('a', 'net', {})).toBe('reserved');
    const limits: Partial<ReservationLimits>[] = [
      { unsentBytesOfNetwork: 119 },
      { openUploadsOfNetwork: 1 },
      { unsentBytes: 200, shareOfNetwork: 0.59 },
      { storedBytes: 200, shareOfNetwork: 0.59 },
    ];
    for (const limit of limits) expect(await insert('b', 'net', limit)).toBe('too-much-unsent');
    expect(await insert('b', 'other', { unsentBytesOfNetwork: 119, openUploadsOfNetwork: 1 })).toBe('reserved');
    expect(await insert('c', undefined, { unsentBytesOfNetwork: 1 })).toBe('reserved');
    await store.completeUpload('a', newCompletion());
    expect(await insert('d', 'net', { unsentBytesOfNetwork: 60, openUploadsOfNetwork: 1 })).toBe('reserved');
    await discard();
  });

  it('counts what a file takes besides its bytes, and its list, until they are deleted', async () => {
    const { store, discard } = await open();
    const limits = { ...NO_LIMITS, storedBytes: 1000 };
    const insert = (id: string, extraBytes: number) =>
      store.insertUpload(newUpload({ id, fileKey: id, storedSize: 10, extraBytes }), limits);
    const counted = async () => (await store.tally()).storedBytes;
    expect([await insert('a', 991), await insert('a', 490), await insert('b', 491)]).toEqual([
      'storage-full',
      'reserved',
      'storage-full',
    ]);
    expect(await counted()).toBe(500);
    await store.completeUpload('a', newCompletion({ unusedBytes: 90 }));
    expect(await counted()).toBe(410);
    const group = (storedBytes: number) =>
      store.groupFiles(['a'], 'x'.repeat(100), { ...PAGE_LIMITS, storedBytes }, NOW);
    expect(await group(765)).toEqual({ outcome: 'storage-full' });
    expect(await group(766)).toMatchObject({ outcome: 'grouped' });
    expect(await counted()).toBe(766);
    await store.doomFile('a', NOW);
    await store.forget('a');
    expect(await counted()).toBe(0);
    await discard();
  });

  it('limits what one address adds to the database in a day, and never refuses to complete an upload', async () => {
    const { store, discard } = await open();
    const addressHash = 'address';
    const day = '2027-01-15';
    const insert = (id: string, recordBytes: number) =>
      store.insertUpload(newUpload({ id, fileKey: id, addressHash, day, recordBytes }), {
        ...NO_LIMITS,
        dailyRecordBytesOfAddress: 100,
        recordBytesToCome: 20,
      });
    const records = { addressHash, day, max: 100 };
    const complete = (id: string, length: number) =>
      store.completeUpload(id, newCompletion({ ...FORMAT_2, details: 'x'.repeat(length), records }));
    const group = (id: string, length: number) =>
      store.groupFiles([id], 'x'.repeat(length), { ...PAGE_LIMITS, records }, NOW);
    expect([await insert('a', 81), await insert('a', 40)]).toEqual(['daily-limit-reached', 'reserved']);
    expect([await insert('b', 21), await insert('b', 20)]).toEqual(['daily-limit-reached', 'reserved']);
    for (const id of ['a', 'b']) expect(await complete(id, 10)).toMatchObject({ outcome: 'completed' });
    expect([await group('a', 21), await group('a', 1)]).toMatchObject([
      { outcome: 'daily-limit-reached' },
      { outcome: 'grouped' },
    ]);
    expect(await insert('c', 1)).toBe('daily-limit-reached');
    await discard();
  });

  it('releases what is reserved for an upload that has stopped, and reserves it again if there is room', async () => {
    const { store, discard } = await open();
    const limits = { ...NO_LIMITS, storedBytes: 1000, unsentBytes: 1000 };
    const insert = (id: string, storedSize: number, openedAtMs = NOW) =>
      store.insertUpload(newUpload({ id, fileKey: id, uploadId: id, storedSize, openedAtMs }), limits);
    const released = async (id: string) => (await store.findUpload(id, id, NOW))?.releasedBytes;
    const again = () => store.reserveAgain('slow', NOW + 2, limits);
    await insert('slow', 800);
    await store.recordSentBytes('slow', 300, NOW + 1, NOW + DAY);
    expect(await store.releaseReservations(NOW, 10)).toBe(0);
    expect([await store.releaseReservations(NOW + 1, 10), await released('slow')]).toEqual([1, 500]);
    expect((await store.tally()).storedBytes).toBe(300);
    expect(await insert('other', 600, NOW + 2)).toBe('reserved');
    expect([await again(), await released('slow')]).toEqual(['storage-full', 500]);
    await store.doomUpload('other', 'other', NOW);
    await store.forget('other');
    expect([await again(), await again(), await released('slow')]).toEqual(['reserved', 'reserved', 0]);
    expect((await store.tally()).storedBytes).toBe(800);
    // The reservation is the same as before: only what has not arrived counts as unsent.
    expect(await insert('other', 201, NOW + 2)).toBe('storage-full');
    await store.recordSentBytes('slow', 800, NOW + 3, NOW + DAY);
    expect(await store.releaseReservations(NOW + 9, 10)).toBe(0);
    await store.doomUpload('slow', 'slow', NOW);
    await store.forget('slow');
    expect((await store.tally()).storedBytes).toBe(0);
    await discard();
  });

  it('keeps the sum of unsent bytes through every end of an upload', async () => {
    const { store, discard } = await open();
    const limits = { ...NO_LIMITS, unsentBytes: 1000 };
    const insert = (id: string, storedSize: number, expiresAtMs = NOW + DAY) =>
      store.insertUpload(newUpload({ id, fileKey: id, uploadId: id, storedSize, expiresAtMs }), limits);
    for (const id of ['complete', 'cancelled', 'abandoned'])
      await insert(id, 300, id === 'abandoned' ? NOW : NOW + DAY);
    expect(await insert('probe', 101)).toBe('storage-full');
    await store.completeUpload('complete', newCompletion());
    await store.doomUpload('cancelled', 'cancelled', NOW);
    await store.doomOverdue(NOW, 10);
    for (const id of ['cancelled', 'abandoned']) await store.forget(id);
    expect([await insert('probe', 1000), await insert('more', 1)]).toEqual(['reserved', 'storage-full']);
    await discard();
  });

  it.each<[string, Partial<ReservationLimits>]>([
    ['the disk', { unsentBytes: 1000 }],
    ['the quota', { storedBytes: 1000 }],
  ])('leaves a share of the room on %s to others, whatever one address announces', async (_, room) => {
    const { store, discard } = await open();
    const insert = (id: string, addressHash: string, storedSize: number) =>
      store.insertUpload(newUpload({ id, fileKey: id, uploadId: id, storedSize, addressHash }), {
        ...NO_LIMITS,
        ...room,
        shareOfRest: 0.8,
        shareOfAddress: 0.5,
      });
    expect(await insert('a', 'one', 801)).toBe('storage-full');
    expect(await insert('a', 'one', 800)).toBe('reserved');
    expect(await insert('b', 'one', 1)).toBe('too-much-unsent');
    expect(await insert('b', 'two', 161)).toBe('storage-full');
    expect(await insert('b', 'two', 160)).toBe('reserved');
    // Both reservations end.
    for (const id of ['a', 'b']) {
      await store.doomUpload(id, id, NOW);
      await store.forget(id);
    }
    expect([await insert('c', 'one', 400), await insert('d', 'one', 101)]).toEqual(['reserved', 'too-much-unsent']);
    expect([await insert('d', 'one', 100), await insert('e', 'one', 1)]).toEqual(['reserved', 'too-much-unsent']);
    expect(await insert('e', 'two', 400)).toBe('reserved');
    await discard();
  });

  it('gives exactly the room that there is to uploads that are opened at once', async () => {
    const { store, discard } = await open();
    const openings = await Promise.all(
      Array.from({ length: 20 }, (__, n) =>
        store.insertUpload(newUpload({ storedSize: 100, addressHash: `address ${n}` }), {
          ...NO_LIMITS,
          unsentBytes: 1000,
        }),
      ),
    );
    expect(openings.filter((outcome) => outcome === 'reserved')).toHaveLength(10);
    await discard();
  });

  it('keeps an upload longer only if more of it has arrived', async () => {
    const { fileKey, uploadId } = await anUpload({ expiresAtMs: NOW + 1 });
    const isOpen = async (nowMs: number) => (await fixture.store.findUpload(fileKey, uploadId, nowMs)) !== undefined;
    await fixture.store.recordSentBytes(fileKey, 0, NOW, NOW + DAY);
    expect(await isOpen(NOW + 1)).toBe(false);
    await fixture.store.recordSentBytes(fileKey, 500, NOW, NOW + DAY);
    expect(await isOpen(NOW + DAY - 1)).toBe(true);
    await fixture.store.recordSentBytes(fileKey, 500, NOW, NOW + 2 * DAY);
    await fixture.store.recordSentBytes(fileKey, 400, NOW, NOW + 2 * DAY);
    expect(await isOpen(NOW + DAY)).toBe(false);
  });

  it('counts what an address announces per day, up to a limit', async () => {
    const { store, discard } = await open();
    const spend = (addressHash: string, day: string, storedSize: number) =>
      store.insertUpload(newUpload({ addressHash, day, storedSize }), { ...NO_LIMITS, dailyBytesOfAddress: 100 });
    expect(await spend('a', '2027-01-01', 101)).toBe('daily-limit-reached');
    const spent = await Promise.all([60, 60, 60].map((bytes) => spend('a', '2027-01-01', bytes)));
    expect(spent.filter((outcome) => outcome === 'reserved')).toHaveLength(1);
    expect(await spend('a', '2027-01-01', 41)).toBe('daily-limit-reached');
    expect(await spend('a', '2027-01-01', 40)).toBe('reserved');
    expect(await spend('b', '2027-01-01', 100)).toBe('reserved');
    expect(await spend('a', '2027-01-02', 100)).toBe('reserved');
    expect((await store.tally()).storedBytes).toBe(300);
    await store.forgetVolumes('2027-01-02', 100);
    expect(await spend('a', '2027-01-01', 100)).toBe('reserved');
    expect(await spend('a', '2027-01-02', 1)).toBe('daily-limit-reached');
    await discard();
  });

  it('forgets a bounded number of old volumes at a time', async () => {
    const { store, discard } = await open();
    const days = ['2027-01-01', '2027-01-02', '2027-01-03'];
    const spend = (day: string, storedSize: number) =>
      store.insertUpload(newUpload({ day, storedSize }), { ...NO_LIMITS, dailyBytesOfAddress: 100 });
    for (const day of days) await spend(day, 100);
    await store.forgetVolumes('2027-01-04', 2);
    const spent = [];
    for (const day of days) spent.push(await spend(day, 1));
    expect(spent.filter((outcome) => outcome === 'reserved')).toHaveLength(2);
    await discard();
  });
}
