// The contract of an object store. Bytes are sent and fetched only through signed URLs, as a browser does.
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ObjectStore, StoredPart, StoreUploadRef } from '../../src/ports/object-store.ts';

const MB = 1024 * 1024;
const PART = 5 * MB;

export interface StoreUnderTest {
  store: ObjectStore;
  siteUrl: string;
  /** Returns the hash of a client that may read the object, as far as its URL depends on a grant. */
  grantRead(key: string): Promise<string>;
  discard(): Promise<void>;
}

export function describeObjectStore(name: string, open: () => Promise<StoreUnderTest>) {
  describe(`the object store on ${name}`, () => {
    let opened: StoreUnderTest;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.discard());

    const bytesOf = (length: number) => new Uint8Array(randomBytes(length));

    const newKey = () => randomBytes(16).toString('base64url');

    async function anUpload(key = newKey()): Promise<StoreUploadRef> {
      return { key, uploadId: await opened.store.createUpload(key) };
    }

    async function partUrl(
      upload: StoreUploadRef,
      partNumber: number,
      length: number,
      validMs = 60_000,
    ): Promise<string> {
      const offset = (partNumber - 1) * PART;
      const expiresAtMs = Date.now() + validMs;
      return opened.store.signPartUrl({ ...upload, partNumber, offset, length, siteUrl: opened.siteUrl, expiresAtMs });
    }

    async function put(
      upload: StoreUploadRef,
      partNumber: number,
      bytes: Uint8Array<ArrayBuffer>,
    ): Promise<StoredPart> {
      const response = await fetch(await partUrl(upload, partNumber, bytes.length), { method: 'PUT', body: bytes });
      expect(response.status).toBe(200);
      return { partNumber, etag: response.headers.get('etag') ?? '', length: bytes.length };
    }

    async function readUrl(key: string, validMs = 60_000): Promise<string> {
      const object = { key, clientHash: await opened.grantRead(key) };
      return opened.store.signReadUrl({ ...object, siteUrl: opened.siteUrl, expiresAtMs: Date.now() + validMs });
    }

    async function get(key: string, range?: string): Promise<Response> {
      return fetch(await readUrl(key), range === undefined ? {} : { headers: { range } });
    }

    it('makes one object from parts sent in any order, and reads any range of it', async () => {
      const upload = await anUpload();
      const [first, second] = [bytesOf(PART), bytesOf(1234)];
      const parts = [await put(upload, 2, second), await put(upload, 1, first)];
      expect(await opened.store.listParts(upload)).toEqual(parts.toReversed());
      for (const part of parts) expect(await opened.store.hasPart(upload, part)).toBe(true);
      for (const partNumber of [1, 9000])
        expect(await opened.store.hasPart(upload, { partNumber, etag: parts[0]?.etag ?? '' })).toBe(false);
      await opened.store.completeUpload(upload, parts.toReversed());

      const whole = await get(upload.key);
      expect(whole.status).toBe(200);
      expect(Buffer.from(await whole.arrayBuffer()).equals(Buffer.concat([first, second]))).toBe(true);
      const middle = await get(upload.key, `bytes=${PART - 2}-${PART + 1}`);
      expect(middle.status).toBe(206);
      expect(middle.headers.get('content-range')).toBe(`bytes ${PART - 2}-${PART + 1}/${PART + 1234}`);
      expect(new Uint8Array(await middle.arrayBuffer())).toEqual(
        Uint8Array.from([...first.slice(-2), ...second.slice(0, 2)]),
      );
      expect((await get(upload.key, `bytes=${PART + 1234}-`)).status).toBe(416);
    });

    it('accepts a part that is sent again: the last one counts', async () => {
      const upload = await anUpload();
      const old = await put(upload, 1, bytesOf(1000));
      const bytes = bytesOf(1000);
      const part = await put(upload, 1, bytes);
      await expect(opened.store.completeUpload(upload, [old])).rejects.toMatchObject({ code: 'PART_MISMATCH' });
      await opened.store.completeUpload(upload, [part]);
      expect(new Uint8Array(await (await get(upload.key)).arrayBuffer())).toEqual(bytes);
    });

    it.each([
      ['a part that was never sent', (parts: StoredPart[]) => [...parts, { partNumber: 2, etag: '"0"', length: 5 }]],
      ['another ETag', ([part]: StoredPart[]) => [{ ...part, etag: '"0123"' } as StoredPart]],
    ])('refuses to complete with %s, and completes with the right parts afterwards', async (_, change) => {
      const upload = await anUpload();
      const parts = [await put(upload, 1, bytesOf(100))];
      await expect(opened.store.completeUpload(upload, change(parts))).rejects.toMatchObject({ code: 'PART_MISMATCH' });
      await opened.store.completeUpload(upload, parts);
    });

    it('completes an upload twice', async () => {
      const upload = await anUpload();
      const bytes = bytesOf(100);
      const parts = [await put(upload, 1, bytes)];
      await opened.store.completeUpload(upload, parts);
      await opened.store.completeUpload(upload, parts);
      expect(new Uint8Array(await (await get(upload.key)).arrayBuffer())).toEqual(bytes);
    });

    it('accepts no part after the upload is complete', async () => {
      const upload = await anUpload();
      const bytes = bytesOf(100);
      const url = await partUrl(upload, 1, 100);
      const parts = [await put(upload, 1, bytes)];
      await opened.store.completeUpload(upload, parts);
      expect((await fetch(url, { method: 'PUT', body: bytesOf(100) })).ok).toBe(false);
      expect(new Uint8Array(await (await get(upload.key)).arrayBuffer())).toEqual(bytes);
    });

    it.each([99, 101, 0])('refuses a part of %i bytes if 100 were signed', async (length) => {
      const upload = await anUpload();
      const response = await fetch(await partUrl(upload, 1, 100), { method: 'PUT', body: bytesOf(length) });
      expect(response.ok).toBe(false);
      expect(await opened.store.listParts(upload)).toEqual([]);
    });

    it.each([
      ['has expired', async (upload: StoreUploadRef) => partUrl(upload, 1, 100, -1000)],
      ['was signed for another part', async (upload: StoreUploadRef) => withOtherPart(await partUrl(upload, 1, 100))],
      ['has another signature', async (upload: StoreUploadRef) => withOtherSignature(await partUrl(upload, 1, 100))],
    ])('refuses a part whose URL %s', async (_, urlOf) => {
      const upload = await anUpload();
      const response = await fetch(await urlOf(upload), { method: 'PUT', body: bytesOf(100) });
      expect(response.status).toBe(403);
      expect(await opened.store.listParts(upload)).toEqual([]);
    });

    it('serves nothing of an incomplete upload, nor for a changed or expired URL', async () => {
      const upload = await anUpload();
      const parts = [await put(upload, 1, bytesOf(100))];
      expect((await get(upload.key)).status).toBe(404);
      await opened.store.completeUpload(upload, parts);
      expect((await fetch(withOtherSignature(await readUrl(upload.key)))).status).toBe(403);
      expect((await fetch(await readUrl(upload.key, -1000))).status).toBe(403);
    });

    it('responds to a ping', async () => {
      await expect(opened.store.ping()).resolves.toBeUndefined();
    });

    it('lists the keys in use in pages, sorted, each once', async () => {
      const before = Date.now() - 60_000;
      // Characters that sort before and after all others.
      const keys = [newKey(), newKey(), newKey(), ...['-', '_', 'z'].map((first) => first + newKey().slice(1))];
      const mine = await Promise.all(keys.map((key) => anUpload(key)));
      const listed: string[] = [];
      for (let after = ''; ; after = listed.at(-1) ?? '') {
        const page = await opened.store.listKeys(after, 3);
        expect(page.length).toBeLessThanOrEqual(3);
        listed.push(...page.map(({ key }) => key));
        for (const { createdAtMs } of page) expect(createdAtMs).toBeGreaterThan(before);
        if (page.length < 3) break;
      }
      expect(listed).toEqual([...new Set(listed)].toSorted());
      expect(listed).toEqual(expect.arrayContaining(mine.map(({ key }) => key)));
    });

    it('purges everything under a key, also when called twice', async () => {
      const open = await anUpload();
      await put(open, 1, bytesOf(100));
      const complete = await anUpload();
      await opened.store.completeUpload(complete, [await put(complete, 1, bytesOf(100))]);
      for (const { key } of [open, open, complete, complete]) await opened.store.purge(key);
      const remaining = (await opened.store.listKeys('', 1000)).map(({ key }) => key);
      expect(remaining).not.toContain(open.key);
      expect(remaining).not.toContain(complete.key);
      await expect(opened.store.listParts(open)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    it('reads a range for this server, returns the size, and throws NOT_FOUND for an incomplete object', async () => {
      const upload = await anUpload();
      const bytes = bytesOf(1000);
      const parts = [await put(upload, 1, bytes)];
      await expect(opened.store.sizeOf(upload.key)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await opened.store.completeUpload(upload, parts);
      expect(await opened.store.sizeOf(upload.key)).toBe(1000);
      expect(await buffer(opened.store.read(upload.key, 10, 20))).toEqual(Buffer.from(bytes.slice(10, 20)));
    });

    it('stores the id and the epoch of its owner, which are not listed as keys', async () => {
      const before = (await opened.store.listKeys('', 1000)).length;
      await opened.store.writeOwner('a database');
      expect(await opened.store.readOwner()).toBe('a database');
      expect(await opened.store.readEpoch()).toBeUndefined();
      for (const epoch of ['one', 'two']) await opened.store.writeEpoch(epoch);
      expect(await opened.store.readEpoch()).toBe('two');
      expect((await opened.store.listKeys('', 1000)).length).toBe(before);
    });

    it('takes at least the bytes of a file', () => {
      expect(opened.store.takenBytes(5000)).toBeGreaterThanOrEqual(5000);
    });

    it('aborts an upload and deletes an object, also when called twice', async () => {
      const upload = await anUpload();
      const url = await partUrl(upload, 1, 100);
      await put(upload, 1, bytesOf(100));
      await opened.store.abortUpload(upload);
      await opened.store.abortUpload(upload);
      await expect(opened.store.listParts(upload)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect((await fetch(url, { method: 'PUT', body: bytesOf(100) })).ok).toBe(false);

      const other = await anUpload();
      await opened.store.completeUpload(other, [await put(other, 1, bytesOf(100))]);
      await opened.store.delete(other.key);
      await opened.store.delete(other.key);
      expect((await get(other.key)).status).toBe(404);
    });

    it('deletes many objects at once, and purges what is left of others', async () => {
      const keys: string[] = [];
      for (let count = 0; count < 5; count += 1) {
        const upload = await anUpload();
        await opened.store.completeUpload(upload, [await put(upload, 1, bytesOf(100))]);
        keys.push(upload.key);
      }
      const [kept = '', ...others] = keys;
      const open = await anUpload();
      const purged = [open.key, others.pop() ?? ''];
      expect(await opened.store.deleteAll([...others, newKey()])).toEqual([]);
      expect(await opened.store.deleteAll(others)).toEqual([]);
      expect(await opened.store.purgeAll(purged)).toEqual([]);
      expect(await opened.store.deleteAll([])).toEqual([]);
      for (const key of [...others, ...purged])
        await expect(opened.store.sizeOf(key)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(opened.store.listParts(open)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect((await get(kept)).status).toBe(200);
    });
  });
}

function withOtherPart(url: string): string {
  return url.replace(/\/1\?/u, '/2?').replace('partNumber=1', 'partNumber=2');
}

function withOtherSignature(url: string): string {
  return url.replace(/(signature=)(.)/iu, (_, name: string, first: string) => name + (first === '0' ? '1' : '0'));
}
