// What every object store promises. Bytes go in and out through signed URLs alone, as a browser would send them.
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ObjectStore, StoredPart, UploadRef } from '../ports/object-store.ts';

const MB = 1024 * 1024;
const PART = 5 * MB;

export interface StoreUnderTest {
  store: ObjectStore;
  siteUrl: string;
  discard(): Promise<void>;
}

export function describeObjectStore(name: string, open: () => Promise<StoreUnderTest>) {
  describe(`the object store on ${name}`, () => {
    let under: StoreUnderTest;
    beforeAll(async () => {
      under = await open();
    });
    afterAll(() => under.discard());

    const bytesOf = (length: number) => new Uint8Array(randomBytes(length));

    const newKey = () => randomBytes(16).toString('base64url');

    async function anUpload(key = newKey()): Promise<UploadRef> {
      return { key, uploadId: await under.store.createUpload(key) };
    }

    async function partUrl(upload: UploadRef, partNumber: number, length: number, livesMs = 60_000): Promise<string> {
      const offset = (partNumber - 1) * PART;
      const expiresAtMs = Date.now() + livesMs;
      return under.store.signPartUrl({ ...upload, partNumber, offset, length, siteUrl: under.siteUrl, expiresAtMs });
    }

    async function put(upload: UploadRef, partNumber: number, bytes: Uint8Array<ArrayBuffer>): Promise<StoredPart> {
      const response = await fetch(await partUrl(upload, partNumber, bytes.length), { method: 'PUT', body: bytes });
      expect(response.status).toBe(200);
      return { partNumber, etag: response.headers.get('etag') ?? '', length: bytes.length };
    }

    async function get(key: string, range?: string): Promise<Response> {
      const url = await under.store.signReadUrl({ key, siteUrl: under.siteUrl, expiresAtMs: Date.now() + 60_000 });
      return fetch(url, range === undefined ? {} : { headers: { range } });
    }

    it('makes one object of parts sent in any order, and reads any range of it', async () => {
      const upload = await anUpload();
      const [first, second] = [bytesOf(PART), bytesOf(1234)];
      const parts = [await put(upload, 2, second), await put(upload, 1, first)];
      expect(await under.store.listParts(upload)).toEqual(parts.toReversed());
      await under.store.completeUpload(upload, parts.toReversed());

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

    it('takes a part sent again: the last one counts', async () => {
      const upload = await anUpload();
      const old = await put(upload, 1, bytesOf(1000));
      const bytes = bytesOf(1000);
      const part = await put(upload, 1, bytes);
      await expect(under.store.completeUpload(upload, [old])).rejects.toMatchObject({ code: 'PART_MISMATCH' });
      await under.store.completeUpload(upload, [part]);
      expect(new Uint8Array(await (await get(upload.key)).arrayBuffer())).toEqual(bytes);
    });

    it.each([
      ['a part that was never sent', (parts: StoredPart[]) => [...parts, { partNumber: 2, etag: '"0"', length: 5 }]],
      ['another ETag', ([part]: StoredPart[]) => [{ ...part, etag: '"0123"' } as StoredPart]],
    ])('refuses to complete with %s, and can still be completed rightly', async (_, bend) => {
      const upload = await anUpload();
      const parts = [await put(upload, 1, bytesOf(100))];
      await expect(under.store.completeUpload(upload, bend(parts))).rejects.toMatchObject({ code: 'PART_MISMATCH' });
      await under.store.completeUpload(upload, parts);
    });

    it('completes twice without harm', async () => {
      const upload = await anUpload();
      const parts = [await put(upload, 1, bytesOf(100))];
      await under.store.completeUpload(upload, parts);
      await under.store.completeUpload(upload, parts);
    });

    it('takes no part when the upload is complete', async () => {
      const upload = await anUpload();
      const bytes = bytesOf(100);
      const url = await partUrl(upload, 1, 100);
      const parts = [await put(upload, 1, bytes)];
      await under.store.completeUpload(upload, parts);
      expect((await fetch(url, { method: 'PUT', body: bytesOf(100) })).ok).toBe(false);
      expect(new Uint8Array(await (await get(upload.key)).arrayBuffer())).toEqual(bytes);
    });

    it.each([99, 101, 0])('refuses a part of %i bytes where 100 were signed', async (length) => {
      const upload = await anUpload();
      const response = await fetch(await partUrl(upload, 1, 100), { method: 'PUT', body: bytesOf(length) });
      expect(response.ok).toBe(false);
      expect(await under.store.listParts(upload)).toEqual([]);
    });

    it.each([
      ['has expired', async (upload: UploadRef) => partUrl(upload, 1, 100, -1000)],
      ['was signed for another part', async (upload: UploadRef) => bendPart(await partUrl(upload, 1, 100))],
      ['has another signature', async (upload: UploadRef) => bendSignature(await partUrl(upload, 1, 100))],
    ])('refuses a part whose URL %s', async (_, urlOf) => {
      const upload = await anUpload();
      const response = await fetch(await urlOf(upload), { method: 'PUT', body: bytesOf(100) });
      expect(response.status).toBe(403);
      expect(await under.store.listParts(upload)).toEqual([]);
    });

    it('serves nothing of an upload that is not complete, nor under a bent or expired URL', async () => {
      const upload = await anUpload();
      const parts = [await put(upload, 1, bytesOf(100))];
      expect((await get(upload.key)).status).toBe(404);
      await under.store.completeUpload(upload, parts);
      const sign = (livesMs: number) =>
        under.store.signReadUrl({ key: upload.key, siteUrl: under.siteUrl, expiresAtMs: Date.now() + livesMs });
      expect((await fetch(bendSignature(await sign(60_000)))).status).toBe(403);
      expect((await fetch(await sign(-1000))).status).toBe(403);
    });

    it('answers when asked whether it is there', async () => {
      await under.store.ping();
    });

    it('lists the keys in use page by page, in order, each once', async () => {
      const before = Date.now() - 60_000;
      // Characters that sort before all others, and after.
      const keys = [newKey(), newKey(), newKey(), ...['-', '_', 'z'].map((first) => first + newKey().slice(1))];
      const mine = await Promise.all(keys.map((key) => anUpload(key)));
      const listed: string[] = [];
      for (let after = ''; ; after = listed.at(-1) ?? '') {
        const page = await under.store.listKeys(after, 3);
        expect(page.length).toBeLessThanOrEqual(3);
        listed.push(...page.map(({ key }) => key));
        for (const { createdAtMs } of page) expect(createdAtMs).toBeGreaterThan(before);
        if (page.length < 3) break;
      }
      expect(listed).toEqual([...new Set(listed)].toSorted());
      expect(listed).toEqual(expect.arrayContaining(mine.map(({ key }) => key)));
    });

    it('purges whatever stands under a key, as often as asked', async () => {
      const open = await anUpload();
      await put(open, 1, bytesOf(100));
      const complete = await anUpload();
      await under.store.completeUpload(complete, [await put(complete, 1, bytesOf(100))]);
      for (const { key } of [open, open, complete, complete]) await under.store.purge(key);
      const left = (await under.store.listKeys('', 1000)).map(({ key }) => key);
      expect(left).not.toContain(open.key);
      expect(left).not.toContain(complete.key);
      await expect(under.store.listParts(open)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    it('reads a range for this server itself, tells the size, and says what is not there', async () => {
      const upload = await anUpload();
      const bytes = bytesOf(1000);
      const parts = [await put(upload, 1, bytes)];
      await expect(under.store.sizeOf(upload.key)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await under.store.completeUpload(upload, parts);
      expect(await under.store.sizeOf(upload.key)).toBe(1000);
      expect(await buffer(under.store.read(upload.key, 10, 20))).toEqual(Buffer.from(bytes.slice(10, 20)));
    });

    it('remembers which database it belongs to, and counts that as no key', async () => {
      const before = (await under.store.listKeys('', 1000)).length;
      await under.store.writeOwner('a database');
      expect(await under.store.readOwner()).toBe('a database');
      expect((await under.store.listKeys('', 1000)).length).toBe(before);
    });

    it('aborts an upload and deletes an object, both as often as asked', async () => {
      const upload = await anUpload();
      const url = await partUrl(upload, 1, 100);
      await put(upload, 1, bytesOf(100));
      await under.store.abortUpload(upload);
      await under.store.abortUpload(upload);
      await expect(under.store.listParts(upload)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect((await fetch(url, { method: 'PUT', body: bytesOf(100) })).ok).toBe(false);

      const other = await anUpload();
      await under.store.completeUpload(other, [await put(other, 1, bytesOf(100))]);
      await under.store.delete(other.key);
      await under.store.delete(other.key);
      expect((await get(other.key)).status).toBe(404);
    });
  });
}

function bendPart(url: string): string {
  return url.replace(/\/1\?/u, '/2?').replace('partNumber=1', 'partNumber=2');
}

function bendSignature(url: string): string {
  return url.replace(/(signature=)(.)/iu, (_, name: string, first: string) => name + (first === '0' ? '1' : '0'));
}
