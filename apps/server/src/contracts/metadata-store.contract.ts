// What every metadata store promises, whatever database it stands on.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MetadataStore, NewUpload } from '../ports/metadata-store.ts';

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;
const newId = () => randomBytes(16).toString('base64url');
const caller = (clientHash: string, nowMs = NOW) => ({ clientHash, nowMs });

export function describeMetadataStore(
  name: string,
  open: () => Promise<{ store: MetadataStore; discard(): Promise<void> }>,
) {
  describe(`the metadata store on ${name}`, () => {
    let store: MetadataStore;
    let discard: () => Promise<void>;
    beforeAll(async () => ({ store, discard } = await open()));
    afterAll(() => discard());

    async function anUpload(change: Partial<NewUpload> = {}): Promise<NewUpload> {
      const upload: NewUpload = {
        id: newId(),
        fileKey: newId(),
        uploadId: newId(),
        fileName: 'サンプル "a"\n😀.txt',
        fileSize: 1000,
        storedSize: 1056,
        contentType: 'text/plain',
        chunkSize: 500,
        isEncrypted: true,
        maxDownloads: 5,
        retentionDays: 2,
        expiresAtMs: NOW + DAY,
        ...change,
      };
      expect(await store.insertUpload(upload, Number.MAX_SAFE_INTEGER)).toBe(true);
      return upload;
    }

    async function aFile(change: Partial<NewUpload> = {}, expiresAtMs = NOW + 2 * DAY) {
      const upload = await anUpload(change);
      const pageId = newId();
      await store.completeUpload(upload.fileKey, { pageId, salt: 's', keyCheck: 'k', createdAtMs: NOW, expiresAtMs });
      return { ...upload, pageId };
    }

    it('finds an upload by both of its names only', async () => {
      const { expiresAtMs: _, storedSize: __, ...upload } = await anUpload();
      expect(await store.findUpload(upload.fileKey, upload.uploadId, NOW)).toEqual({ ...upload, pageId: undefined });
      expect(await store.findUpload(upload.fileKey, 'another', NOW)).toBeUndefined();
    });

    it('finds neither an abandoned upload nor an expired file by its upload', async () => {
      const upload = await anUpload();
      const file = await aFile();
      expect(await store.findUpload(upload.fileKey, upload.uploadId, NOW + DAY)).toBeUndefined();
      expect(await store.findUpload(file.fileKey, file.uploadId, NOW + 2 * DAY - 1)).toBeDefined();
      expect(await store.findUpload(file.fileKey, file.uploadId, NOW + 2 * DAY)).toBeUndefined();
    });

    it('completes an upload once and answers the first page from then on', async () => {
      const { fileKey, uploadId, pageId } = await aFile();
      const again = { pageId: newId(), salt: 'x', keyCheck: 'x', createdAtMs: NOW + 5, expiresAtMs: NOW + 9 };
      expect(await store.completeUpload(fileKey, again)).toBe(pageId);
      expect((await store.findUpload(fileKey, uploadId, NOW))?.pageId).toBe(pageId);
      expect((await store.listPage(pageId, caller('a')))[0]).toMatchObject({ salt: 's', createdAtMs: NOW });
    });

    it('shows a file whole until the millisecond it expires, to every call', async () => {
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
      expect(await store.findFile(file.id, last)).toMatchObject(shown);
      expect(await store.listPage(file.pageId, last)).toHaveLength(1);
      expect(await store.findFile(file.id, gone)).toBeUndefined();
      expect(await store.listPage(file.pageId, gone)).toEqual([]);
      expect(await store.takeGrant(file.id, gone, gone.nowMs + 1)).toEqual({ outcome: 'not-found' });
      expect(await store.doomFile(file.id, gone.nowMs)).toBeUndefined();
    });

    it('gives exactly as many grants as the limit allows, however many ask at once', async () => {
      const file = await aFile({ maxDownloads: 3 });
      const takings = await Promise.all(
        Array.from({ length: 40 }, (_, n) => store.takeGrant(file.id, caller(`client ${n}`), NOW + DAY)),
      );
      expect(takings.filter(({ outcome }) => outcome === 'granted')).toHaveLength(3);
      expect(takings.filter(({ outcome }) => outcome === 'limit-reached')).toHaveLength(37);
      expect((await store.findFile(file.id, caller('x')))?.currentDownloads).toBe(3);
    });

    it('spends nothing when the same client asks again while its grant lives, even all at once', async () => {
      const file = await aFile({ maxDownloads: 2 });
      const ask = (nowMs = NOW) => store.takeGrant(file.id, caller('a', nowMs), nowMs + 1000);
      const takings = await Promise.all([ask(), ask(), ask()]);
      expect(takings.map(({ outcome }) => outcome)).toEqual(['granted', 'granted', 'granted']);
      expect(await store.findFile(file.id, caller('a'))).toMatchObject({ currentDownloads: 1, granted: true });
      await ask(NOW + 1000);
      expect((await store.findFile(file.id, caller('a')))?.currentDownloads).toBe(2);
      expect(await ask(NOW + 2000)).toEqual({ outcome: 'limit-reached' });
    });

    it('dooms a used-up file when the last grant has ended, and not before', async () => {
      const file = await aFile({ maxDownloads: 2 });
      await store.takeGrant(file.id, caller('a'), NOW + DAY);
      await store.takeGrant(file.id, caller('b'), NOW + DAY);
      await store.endGrant(file.id, caller('a'));
      expect(await store.doomIfUsedUp(file.id, NOW)).toBeUndefined();
      await store.endGrant(file.id, caller('b'));
      expect(await store.doomIfUsedUp(file.id, NOW)).toMatchObject({ id: file.id, fileKey: file.fileKey });
      expect(await store.findFile(file.id, caller('a'))).toBeUndefined();
      expect(await store.doomIfUsedUp(file.id, NOW)).toBeUndefined();
    });

    it('keeps a file that has downloads left when its grants end', async () => {
      const file = await aFile({ maxDownloads: 2 });
      await store.takeGrant(file.id, caller('a'), NOW + DAY);
      await store.endGrant(file.id, caller('a'));
      expect(await store.doomIfUsedUp(file.id, NOW)).toBeUndefined();
    });

    it('groups files on one page in the order given, and answers the same page when asked again', async () => {
      const files = [await aFile(), await aFile(), await aFile()];
      const ids = files.map(({ id }) => id).toReversed();
      const pageId = newId();
      expect(await store.groupFiles(ids, pageId, 10_000, NOW)).toEqual({ outcome: 'grouped', pageId });
      expect((await store.listPage(pageId, caller('a'))).map(({ id }) => id)).toEqual(ids);
      expect(await store.groupFiles(ids, newId(), 10_000, NOW)).toEqual({ outcome: 'grouped', pageId });
    });

    it('groups all or nothing', async () => {
      const [one, two] = [await aFile(), await aFile()];
      const group = (ids: string[], max = 10_000) => store.groupFiles(ids, newId(), max, NOW);
      expect(await group([one.id, newId()])).toEqual({ outcome: 'not-found' });
      expect(await group([one.id, two.id], 1999)).toEqual({ outcome: 'too-large' });
      expect(await store.listPage(one.pageId, caller('a'))).toHaveLength(1);
      expect(await group([one.id, two.id], 2000)).toMatchObject({ outcome: 'grouped' });
    });

    it('lets nobody take files from a closed page', async () => {
      const [one, two, mine] = [await aFile(), await aFile(), await aFile()];
      await store.groupFiles([one.id, two.id], newId(), 10_000, NOW);
      expect(await store.groupFiles([one.id], newId(), 10_000, NOW)).toEqual({ outcome: 'already-grouped' });
      expect(await store.groupFiles([one.id, mine.id], newId(), 10_000, NOW)).toEqual({ outcome: 'already-grouped' });
    });

    it('dooms an incomplete upload, and a complete one no more', async () => {
      const upload = await anUpload();
      expect(await store.doomUpload(upload.fileKey, 'another', NOW)).toBeUndefined();
      expect(await store.doomUpload(upload.fileKey, upload.uploadId, NOW)).toMatchObject({ id: upload.id });
      expect(await store.findUpload(upload.fileKey, upload.uploadId, NOW)).toBeUndefined();
      const late = { pageId: newId(), salt: 's', keyCheck: 'k', createdAtMs: NOW, expiresAtMs: NOW + DAY };
      expect(await store.completeUpload(upload.fileKey, late)).toBeUndefined();
      const file = await aFile();
      expect(await store.doomUpload(file.fileKey, file.uploadId, NOW)).toBeUndefined();
    });

    it('dooms a used-up file whose last grant ended in a crash before it was doomed', async () => {
      const file = await aFile({ maxDownloads: 1 });
      await store.takeGrant(file.id, caller('a'), NOW + DAY);
      await store.endGrant(file.id, caller('a'));
      await store.doomOverdue(NOW, 1000);
      expect((await store.claimDoomed(NOW, 1, 1000)).map(({ id }) => id)).toContain(file.id);
    });

    it('dooms what is overdue, a bounded number at a time, and forgets it when told', async () => {
      const later = NOW + 100 * DAY;
      const abandoned = await anUpload({ expiresAtMs: later });
      const touched = await anUpload({ expiresAtMs: later });
      await store.touchUpload(touched.fileKey, later + DAY);
      const expired = await aFile({}, later);
      const usedUp = await aFile({ maxDownloads: 1 }, later + DAY);
      await store.takeGrant(usedUp.id, caller('a', later - 10), later);
      while ((await store.doomOverdue(later, 1)) > 0);
      const doomed = (await store.claimDoomed(later, DAY, 1000)).map(({ id }) => id);
      expect(doomed).toEqual(expect.arrayContaining([abandoned.id, expired.id, usedUp.id]));
      expect(doomed).not.toContain(touched.id);
      expect(await store.claimDoomed(later + DAY - 1, DAY, 1000)).toEqual([]);
      expect(await store.claimDoomed(later + DAY, DAY, 1)).toHaveLength(1);
      for (const id of doomed) await store.forget(id);
      expect(await store.claimDoomed(later + 9 * DAY, DAY, 1)).toEqual([]);
    });

    it('gives the doomed file first that waits longest, however often another came back', async () => {
      const { store: empty, discard: discardEmpty } = await open();
      const template = await anUpload();
      for (const [id, doomedAtMs] of [
        ['second', NOW + 2],
        ['third', NOW + 3],
        ['first', NOW + 1],
      ] as const) {
        await empty.insertUpload({ ...template, id, fileKey: id }, Number.MAX_SAFE_INTEGER);
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

    it('tells which keys no row knows, and lists live files by their keys', async () => {
      const [file, upload] = [await aFile(), await anUpload()];
      const stray = newId();
      expect(await store.unknownKeys([file.fileKey, stray, upload.fileKey])).toEqual([stray]);
      expect(await store.unknownKeys([])).toEqual([]);
      const all = await store.listLiveKeys('', 10_000);
      expect(all.map(({ fileKey }) => fileKey)).toEqual(all.map(({ fileKey }) => fileKey).toSorted());
      expect(all).toContainEqual({ id: file.id, fileKey: file.fileKey });
      expect(all.map(({ id }) => id)).not.toContain(upload.id);
      expect(await store.listLiveKeys(all[0]?.fileKey ?? '', 1)).toEqual(all.slice(1, 2));
    });

    it('reserves the bytes of an upload up to a limit, and gives them back when it is forgotten', async () => {
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

    it('tallies what is stored without counting the live files, and counts grants that live', async () => {
      const { store: empty, discard: discardEmpty } = await open();
      const insert = async (id: string) => {
        await empty.insertUpload({ ...template, id, fileKey: id, storedSize: 100 }, Number.MAX_SAFE_INTEGER);
      };
      const complete = (fileKey: string) =>
        empty.completeUpload(fileKey, { pageId: fileKey, salt: 's', keyCheck: 'k', createdAtMs: NOW, expiresAtMs });
      const [template, expiresAtMs] = [await anUpload(), NOW + DAY];
      expect(await empty.tally()).toEqual({ storedBytes: 0, liveFiles: 0, openUploads: 0, doomedFiles: 0 });
      for (const id of ['a', 'b', 'c', 'd']) await insert(id);
      for (const id of ['a', 'b', 'c']) await complete(id);
      await empty.doomFile('c', NOW);
      expect(await empty.tally()).toEqual({ storedBytes: 400, liveFiles: 2, openUploads: 1, doomedFiles: 1 });
      await empty.forget('c');
      await empty.forget('c');
      expect(await empty.tally()).toEqual({ storedBytes: 300, liveFiles: 2, openUploads: 1, doomedFiles: 0 });
      await empty.takeGrant('a', caller('one'), NOW + 10);
      await empty.takeGrant('a', caller('two'), NOW + 20);
      expect([await empty.countGrants(NOW), await empty.countGrants(NOW + 10)]).toEqual([2, 1]);
      await discardEmpty();
    });

    it('answers, is whole, and tries writing without leaving a trace', async () => {
      const before = await store.tally();
      await store.ping();
      await store.tryWriting();
      expect(await store.tally()).toEqual(before);
      expect(await store.findDamage()).toEqual([]);
    });

    it('counts what an address uploads in a day, up to a limit', async () => {
      const spend = (address: string, day: string, bytes: number) => store.spendVolume(address, day, bytes, 100);
      expect(await spend('a', '2027-01-01', 101)).toBe(false);
      const spent = await Promise.all([60, 60, 60].map((bytes) => spend('a', '2027-01-01', bytes)));
      expect(spent.filter(Boolean)).toHaveLength(1);
      expect([await spend('a', '2027-01-01', 41), await spend('a', '2027-01-01', 40)]).toEqual([false, true]);
      expect(await spend('b', '2027-01-01', 100)).toBe(true);
      expect(await spend('a', '2027-01-02', 100)).toBe(true);
      await store.forgetVolumes('2027-01-02', 100);
      expect(await spend('a', '2027-01-01', 100)).toBe(true);
      expect(await spend('a', '2027-01-02', 1)).toBe(false);
    });

    it('forgets only what is doomed', async () => {
      const file = await aFile();
      await store.forget(file.id);
      expect(await store.findFile(file.id, caller('a'))).toBeDefined();
    });
  });
}
