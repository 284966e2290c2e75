// The contract of a database that several servers share.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MetadataStore, ReservationLimits } from '../../src/ports/metadata-store.ts';
import { DAY, newCompletion, newId, newUpload, NOW, PAGE_LIMITS } from './metadata-fixture.ts';
import { NO_LIMITS } from '../no-limits.ts';

export function describeSharedRecords(
  name: string,
  /** Opens the same database twice, as two servers do. */
  open: () => Promise<{ stores: [MetadataStore, MetadataStore]; discard(): Promise<void> }>,
) {
  describe(`a shared database on ${name}`, () => {
    let stores: [MetadataStore, MetadataStore];
    let discard: () => Promise<void>;
    beforeEach(async () => ({ stores, discard } = await open()));
    afterEach(() => discard());

    /** Makes the same call many times concurrently, from both servers. */
    const atOnce = <T>(times: number, call: (store: MetadataStore) => Promise<T>) =>
      Promise.all(Array.from({ length: times }, (_, n) => call(stores[n % 2 ? 0 : 1])));

    async function anUpload(maxDownloads = 1) {
      const id = newId();
      const upload = newUpload({ id, fileKey: id, fileSize: 1, storedSize: 1, maxDownloads, expiresAtMs: NOW });
      await stores[0].insertUpload(upload, NO_LIMITS);
      return id;
    }

    async function aFile(maxDownloads: number) {
      const id = await anUpload(maxDownloads);
      await stores[0].completeUpload(id, newCompletion());
      return id;
    }

    it('gives as many grants as the limit allows, and at most one per client, with concurrent calls', async () => {
      const id = await aFile(3);
      let client = 0;
      const takings = await atOnce(60, (store) => {
        client += 1;
        // Six calls for each of ten clients.
        return store.takeGrant(id, { clientHash: `client ${client % 10}`, nowMs: NOW }, NOW + DAY, () => true);
      });
      const granted = takings.flatMap((taking, n) => (taking.outcome === 'granted' ? [(n + 1) % 10] : []));
      expect(new Set(granted).size).toBe(3);
      expect(granted).toHaveLength(18);
      const file = await stores[1].findFile(id, { clientHash: 'x', nowMs: NOW });
      expect(file?.currentDownloads).toBe(3);
    });

    it('groups the same files once, with concurrent calls in any order', async () => {
      const ids = [await aFile(1), await aFile(1), await aFile(1)];
      let n = 0;
      const groupings = await atOnce(12, (store) => {
        n += 1;
        return store.groupFiles(n % 2 ? ids : ids.toReversed(), `list ${n % 2}`, PAGE_LIMITS, NOW);
      });
      expect(new Set(groupings.map((grouping) => JSON.stringify(grouping))).size).toBe(1);
      const pageId = groupings[0]?.outcome === 'grouped' ? groupings[0].pageId : '';
      // The list belongs to the call that has set the order.
      const { files, list } = await stores[1].listPage(pageId, { clientHash: 'x', nowMs: NOW });
      expect(list).toBe(files[0]?.id === ids[0] ? 'list 1' : 'list 0');
    });

    it('deletes the list of a page if both servers forget its last files concurrently', async () => {
      for (let round = 0; round < 10; round += 1) {
        const ids = [await aFile(1), await aFile(1), await aFile(1), await aFile(1)];
        const grouping = await stores[0].groupFiles(ids, 'sealed', PAGE_LIMITS, NOW);
        for (const id of ids) await stores[0].doomFile(id, NOW);
        await Promise.all(ids.map((id, n) => stores[n % 2 ? 0 : 1].forget(id)));
        const pageId = grouping.outcome === 'grouped' ? grouping.pageId : '';
        expect((await stores[0].listPage(pageId, { clientHash: 'x', nowMs: NOW })).list).toBeUndefined();
      }
    });

    it('reserves no more bytes than allowed, with concurrent calls', async () => {
      const reserve = (limits: Partial<ReservationLimits>, addressHash = newId()) =>
        atOnce(20, (store) =>
          store.insertUpload(newUpload({ storedSize: 10, addressHash }), { ...NO_LIMITS, ...limits }),
        );
      const reservedBytes = async () => (await stores[0].tally()).storedBytes;
      const outcomes = await reserve({ storedBytes: 75 });
      expect(outcomes.filter((outcome) => outcome === 'reserved')).toHaveLength(7);
      expect(await reservedBytes()).toBe(70);
      await reserve({ unsentBytes: 105 });
      expect(await reservedBytes()).toBe(100);
      expect(new Set(await reserve({ unsentBytesOfAddress: 25 }))).toEqual(new Set(['reserved', 'too-much-unsent']));
      expect(await reservedBytes()).toBe(120);
      expect(new Set(await reserve({ dailyBytesOfAddress: 35 }))).toEqual(new Set(['reserved', 'daily-limit-reached']));
      expect(await reservedBytes()).toBe(150);
    });

    it('gives every byte and never one more, whoever takes and returns them at the same time', async () => {
      const limits = { ...NO_LIMITS, storedBytes: 10_000, dailyBytesOfAddress: 1e12 };
      const reservedBytes = async () => (await stores[1].tally()).storedBytes;
      let sizes = 1;
      const open: string[] = [];
      const insert = async (store: MetadataStore, storedSize: number) => {
        const id = newId();
        const upload = newUpload({ id, fileKey: id, uploadId: id, storedSize, extraBytes: 1, addressHash: id });
        if ((await store.insertUpload(upload, limits)) === 'reserved') open.push(id);
      };
      for (let round = 0; round < 10; round += 1) {
        await atOnce(60, (store) => insert(store, (sizes += 37) % 400));
        expect(await reservedBytes()).toBeLessThanOrEqual(limits.storedBytes);
        const ended = open.splice(0, 30);
        await Promise.all([
          ...ended.slice(0, 10).map((id) => stores[0].completeUpload(id, newCompletion({ unusedBytes: 1 }))),
          ...ended.slice(10).map((id, n) => stores[n % 2 ? 0 : 1].doomUpload(id, id, NOW)),
          ...Array.from({ length: 20 }, (_, n) => insert(stores[n % 2 ? 0 : 1], (sizes += 37) % 400)),
        ]);
        for (const id of ended.slice(0, 10)) await stores[0].doomFile(id, NOW);
        await Promise.all(ended.map((id, n) => stores[n % 2 ? 0 : 1].forget(id)));
        expect(await reservedBytes()).toBeLessThanOrEqual(limits.storedBytes);
      }
      const rest = limits.storedBytes - (await reservedBytes());
      await insert(stores[0], rest);
      await insert(stores[0], rest - 1);
      expect(await reservedBytes()).toBe(limits.storedBytes);
      for (const id of open) await stores[1].doomUpload(id, id, NOW);
      await Promise.all(open.map((id, n) => stores[n % 2 ? 0 : 1].forget(id)));
      expect(await stores[0].tally()).toMatchObject({ storedBytes: 0, openUploads: 0, liveFiles: 0, doomedFiles: 0 });
    });

    it('gives nothing above a limit that was lowered', async () => {
      const insert = (store: MetadataStore, storedBytes: number) =>
        store.insertUpload(newUpload({ storedSize: 10, addressHash: newId() }), { ...NO_LIMITS, storedBytes });
      expect(await insert(stores[0], 1_000_000)).toBe('reserved');
      const outcomes = await atOnce(20, (store) => insert(store, 55));
      expect(outcomes.filter((outcome) => outcome === 'reserved')).toHaveLength(4);
      expect((await stores[0].tally()).storedBytes).toBe(50);
    });

    it('releases and ends uploads of many addresses while others begin', async () => {
      const insert = (store: MetadataStore) =>
        store.insertUpload(newUpload({ storedSize: 10, addressHash: newId(), expiresAtMs: NOW }), NO_LIMITS);
      await atOnce(60, insert);
      const work: ((store: MetadataStore) => Promise<unknown>)[] = [
        insert,
        (store: MetadataStore) => store.releaseReservations(NOW, 7),
        (store: MetadataStore) => store.doomOverdue(NOW, 5),
      ];
      let n = 0;
      await atOnce(90, (store) => (work[(n += 1) % 3] ?? insert)(store));
      await stores[0].doomOverdue(NOW, 1000);
      const doomed = await stores[1].claimDoomed(NOW, DAY, 1000);
      expect(doomed).toHaveLength(90);
      await Promise.all(doomed.map(({ id }, index) => stores[index % 2 ? 0 : 1].forget(id)));
      expect(await stores[0].tally()).toMatchObject({ storedBytes: 0, openUploads: 0, doomedFiles: 0 });
    });

    it('gives each doomed file to only one of many concurrent sweeps', async () => {
      for (let n = 0; n < 30; n += 1) await anUpload();
      const doomed = await atOnce(6, (store) => store.doomOverdue(NOW, 10));
      const remaining = await stores[0].doomOverdue(NOW, 100);
      expect(doomed.reduce((sum, count) => sum + count, remaining)).toBe(30);
      const claims = (await atOnce(10, (store) => store.claimDoomed(NOW, DAY, 5))).flat().map(({ id }) => id);
      expect(new Set(claims).size).toBe(claims.length);
      const rest = await stores[0].claimDoomed(NOW, DAY, 100);
      expect(claims.length + rest.length).toBe(30);
    });

    it('gives a job to one server until its lease ends, with the progress of the previous one', async () => {
      const claims = await atOnce(8, (store) => store.claimJob('job', NOW, 1000));
      expect(claims.filter((progress) => progress !== undefined)).toEqual(['']);
      await stores[0].saveProgress('job', 'half-way');
      expect(await stores[1].claimJob('job', NOW + 999, 1000)).toBeUndefined();
      expect(await stores[1].claimJob('job', NOW + 1000, 1000)).toBe('half-way');
    });

    it('counts concurrent hits within a window that begins with the first hit', async () => {
      const counts = await atOnce(9, (store) => store.countHit('key', NOW, 1000));
      expect(counts.map(({ hits }) => hits).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
      const [store] = stores;
      expect(await store.countHit('key', NOW + 999, 1000)).toEqual({ hits: 10, endsAtMs: NOW + 1000 });
      expect(await store.countHit('key', NOW + 1000, 1000)).toEqual({ hits: 1, endsAtMs: NOW + 2000 });
      expect(await store.forgetHits(NOW + 1999, 100)).toBe(0);
      expect(await store.countHit('key', NOW + 1999, 1000)).toMatchObject({ hits: 2 });
      expect(await store.forgetHits(NOW + 2000, 100)).toBe(1);
      expect(await store.countHit('key', NOW + 1999, 1000)).toMatchObject({ hits: 1 });
    });

    it('forgets ended windows, shared among concurrent calls', async () => {
      for (let n = 0; n < 30; n += 1) await stores[0].countHit(`key ${n}`, NOW, 1000);
      await stores[1].countHit('key 0', NOW + 1000, 1000);
      expect(await stores[0].forgetHits(NOW + 1000, 5)).toBe(5);
      const forgotten = await atOnce(6, (store) => store.forgetHits(NOW + 1000, 3));
      const remaining = await stores[0].forgetHits(NOW + 1000, 100);
      expect(forgotten.reduce((sum, count) => sum + count, 5 + remaining)).toBe(29);
      expect(await stores[0].countHit('key 0', NOW + 1000, 1000)).toMatchObject({ hits: 2 });
    });

    it('has one id of the database, and every database another', async () => {
      const [one, other] = [await stores[0].databaseId(), await stores[1].databaseId()];
      expect(other).toBe(one);
      const elsewhere = await open();
      expect(await elsewhere.stores[0].databaseId()).not.toBe(one);
      await elsewhere.discard();
    });

    it('knows the epochs that it has begun within a time, and the one that the store has', async () => {
      const [store, other] = stores;
      for (const [index, epoch] of ['a', 'b', 'c'].entries())
        await store.beginEpoch(epoch, NOW + index, 'a', NOW + index);
      const known = await Promise.all(['a', 'b', 'c', 'd'].map((epoch) => other.knowsEpoch(epoch)));
      expect(known).toEqual([true, false, true, false]);
    });

    it('has another id and one epoch once it is claimed, and none of the uploads that were open', async () => {
      const [store, other] = stores;
      const [upload, file] = [newUpload({ expiresAtMs: NOW + DAY }), newUpload({ expiresAtMs: NOW + DAY })];
      for (const one of [upload, file]) await store.insertUpload(one, NO_LIMITS);
      await store.completeUpload(file.fileKey, newCompletion());
      await store.beginEpoch('before', NOW, undefined, 0);
      expect(await other.keepsUnknownUntilMs()).toBe(0);
      await store.claim({ databaseId: 'new', epoch: 'claimed', nowMs: NOW, keepUnknownUntilMs: NOW + 7 });
      expect(await Promise.all(['before', 'claimed'].map((epoch) => other.knowsEpoch(epoch)))).toEqual([false, true]);
      expect([await other.databaseId(), await other.keepsUnknownUntilMs()]).toEqual(['new', NOW + 7]);
      expect(await other.unknownKeys([upload.fileKey, file.fileKey])).toEqual([upload.fileKey]);
      const doomed = await other.claimDoomed(NOW, 1, 10);
      expect(doomed).toEqual([{ id: upload.id, fileKey: upload.id, uploadId: upload.uploadId, pageId: null }]);
      await other.forget(upload.id);
      expect(await store.tally()).toMatchObject({ liveFiles: 1, storedBytes: file.storedSize });
    });
  });
}
