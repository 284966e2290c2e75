import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../vectors/format-2.json' with { type: 'json' };
import { paddedSize, plainRange, planOfChunks } from './plan.ts';
import { fromBase64, toBase64 } from './primitives.ts';
import { chunkAad, contentRange, openChunk, packChunk, sealChunk, type SealedFile } from './chunk.ts';
import { deriveFileKey, derivePageSecrets } from './derived-keys.ts';
import { importKey } from './key.ts';
import counted from '../vectors/format-2-count.json' with { type: 'json' };
import { openDetails, openList, openPage, sealDetails, sealList } from './page.ts';

const { subtle } = globalThis.crypto;
const bytesOf = (base64: string) => fromBase64(base64) ?? new Uint8Array();
const random = (length: number) => globalThis.crypto.getRandomValues(new Uint8Array(length));
const salt = () => toBase64(random(16));
const utf8 = new TextDecoder();
const key = await importKey(subtle, bytesOf(vectors.key));
const secrets = await derivePageSecrets(subtle, key, vectors.pageSalt);

const sealSmallDetails = () =>
  sealDetails(subtle, secrets.detailsKey, random(12), 'a', { name: 'a', type: '', size: 1 }, false);

describe('the frozen vectors', () => {
  it('derive the same checks and the same token', () => {
    const { keyCheck, accessToken, accessCheck } = vectors;
    expect(secrets).toMatchObject({ keyCheck, accessToken, accessCheck });
  });

  it('open as a page that says how many files were sent', async () => {
    const { pageSalt, keyCheck, list } = counted;
    const facts = { isEncrypted: true, format: 2 as const, pageSalt, keyCheck };
    const files = counted.files.map((file, index) => ({
      ...file,
      ...facts,
      id: String(index),
      details: file.details.value,
    }));
    const countedKey = await importKey(subtle, bytesOf(counted.key));
    for (const sealedList of [list.value, undefined]) {
      const page = await openPage(subtle, countedKey, { files, list: sealedList });
      expect([page.fileCount, page.files.get('1')?.details.name]).toEqual([3, 'b/c.txt']);
    }
  });

  it('seal and open the list', async () => {
    const { iv, text, value } = vectors.list;
    const list = JSON.parse(text);
    expect(await sealList(subtle, secrets.detailsKey, bytesOf(iv), vectors.pageSalt, list)).toBe(value);
    expect(await openList(subtle, secrets.detailsKey, vectors.pageSalt, value)).toEqual(list);
  });

  describe.each(vectors.files)('of $fileName', ({ salt: fileSalt, fileSize, chunkSize, details, chunks }) => {
    const content = JSON.parse(details.text);
    const file: SealedFile = {
      ...planOfChunks(fileSize, chunkSize),
      format: 2,
      salt: fileSalt,
      contentSize: content.size,
    };

    it('seal and open the details', async () => {
      const iv = bytesOf(details.iv);
      expect(await sealDetails(subtle, secrets.detailsKey, iv, fileSalt, content, details.text.endsWith(' '))).toBe(
        details.value,
      );
      expect(await openDetails(subtle, secrets.detailsKey, fileSalt, details.value)).toEqual(content);
    });

    it.each(chunks)('seal and open chunk $index', async ({ index, iv, aad, content: plain, sealed }) => {
      const context = { key: await deriveFileKey(subtle, key, vectors.pageSalt, fileSalt), file, index };
      expect(utf8.decode(chunkAad(file, index))).toBe(aad);
      expect(toBase64(packChunk(await sealChunk(subtle, context, bytesOf(iv), bytesOf(plain))))).toBe(sealed);
      expect(toBase64(await openChunk(subtle, context, bytesOf(sealed)))).toBe(plain);
    });
  });
});

describe('the derived keys', () => {
  it('differ for every other key and page salt', async () => {
    const other = await importKey(subtle, random(32));
    const checks = [secrets, await derivePageSecrets(subtle, other, vectors.pageSalt)];
    checks.push(await derivePageSecrets(subtle, key, salt()));
    const values = checks.flatMap(({ keyCheck, accessToken, accessCheck }) => [keyCheck, accessToken, accessCheck]);
    expect(new Set(values).size).toBe(9);
    const sealed = await sealSmallDetails();
    for (const { detailsKey } of checks.slice(1))
      await expect(openDetails(subtle, detailsKey, 'a', sealed)).rejects.toThrowError('DECRYPTION_FAILED');
  });

  it('of one file do not open another file', async () => {
    const file: SealedFile = { ...planOfChunks(3, 3), format: 2, salt: 'a', contentSize: 3 };
    const [own, other] = await Promise.all(['a', 'b'].map((of) => deriveFileKey(subtle, key, vectors.pageSalt, of)));
    const sealed = packChunk(await sealChunk(subtle, { key: own!, file, index: 0 }, random(12), random(3)));
    expect(await openChunk(subtle, { key: own!, file, index: 0 }, sealed)).toHaveLength(3);
    await expect(openChunk(subtle, { key: other!, file, index: 0 }, sealed)).rejects.toThrowError('DECRYPTION_FAILED');
  });

  it('cannot be exported', async () => {
    const fileKey = await deriveFileKey(subtle, key, vectors.pageSalt, salt());
    expect([secrets.detailsKey.extractable, fileKey.extractable]).toEqual([false, false]);
  });
});

describe('paddedSize', () => {
  const sizes = fc.integer({ min: 1, max: 12 * 1024 ** 3 });

  it('is never smaller, adds 12 % at most above 1 KB, and stays the same if it is padded again', () => {
    fc.assert(
      fc.property(sizes, (size) => {
        const padded = paddedSize(size);
        expect(padded).toBeGreaterThanOrEqual(size);
        expect(padded).toBeLessThanOrEqual(Math.max(1024, size * 1.12));
        expect(paddedSize(padded)).toBe(padded);
      }),
    );
  });

  it('grows with the size', () => {
    fc.assert(
      fc.property(sizes, sizes, (a, b) => {
        expect(Math.sign(paddedSize(a) - paddedSize(b)) * Math.sign(a - b)).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it.each([
    [1, 1024],
    [1024, 1024],
    [1025, 1088],
    [1088, 1088],
    [1089, 1152],
    [1024 ** 2, 1024 ** 2],
    [1024 ** 2 + 1, 1_081_344],
    [10 * 1024 ** 3 + 1, 10_871_635_968],
  ])('of %i is %i', (size, padded) => {
    expect(paddedSize(size)).toBe(padded);
  });
});

describe('a padded file', () => {
  it('opens to its content, for sizes around the limits of chunks and padding', async () => {
    const fileKey = await deriveFileKey(subtle, key, vectors.pageSalt, 'a');
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: 1, max: 16 }),
        async (contentSize, padding, chunkSize) => {
          const plan = planOfChunks(contentSize + padding, chunkSize);
          const file: SealedFile = { ...plan, format: 2, salt: 'a', contentSize };
          const content = random(contentSize);
          const opened: number[] = [];
          for (let index = 0; index < file.count; index += 1) {
            const { start, end } = contentRange(file, index);
            const context = { key: fileKey, file, index };
            const sealed = packChunk(await sealChunk(subtle, context, random(12), content.slice(start, end)));
            expect(sealed.length).toBe(plainRange(file, index).length + 28);
            opened.push(...(await openChunk(subtle, context, sealed)));
          }
          expect(opened).toEqual([...content]);
        },
      ),
    );
  });

  it('does not open if its padding is not zeros', async () => {
    const fileKey = await deriveFileKey(subtle, key, vectors.pageSalt, 'a');
    const whole: SealedFile = { ...planOfChunks(10, 10), format: 2, salt: 'a', contentSize: 10 };
    const context = { key: fileKey, file: whole, index: 0 };
    const sealed = packChunk(await sealChunk(subtle, context, random(12), new Uint8Array(10).fill(1)));
    const shorter = { ...context, file: { ...whole, contentSize: 8 } };
    await expect(openChunk(subtle, shorter, sealed)).rejects.toThrowError('DECRYPTION_FAILED');
  });

  it.each([
    ['salt', { salt: 'b' }],
    ['size', { fileSize: 31, contentSize: 30 }],
    ['number of chunks', { count: 4 }],
  ])('does not open under another %s', async (_, lie) => {
    const fileKey = await deriveFileKey(subtle, key, vectors.pageSalt, 'a');
    const file: SealedFile = { ...planOfChunks(30, 10), format: 2, salt: 'a', contentSize: 30 };
    const sealed = packChunk(await sealChunk(subtle, { key: fileKey, file, index: 0 }, random(12), random(10)));
    const lied = { key: fileKey, file: { ...file, ...lie }, index: 0 };
    await expect(openChunk(subtle, lied, sealed)).rejects.toThrowError('DECRYPTION_FAILED');
  });
});

describe('details', () => {
  const anyName = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });

  it('open to what was sealed, for any name and size, and only for their own file', async () => {
    await fc.assert(
      fc.asyncProperty(anyName, fc.integer({ min: 1 }), fc.option(fc.integer()), async (name, size, modifiedAt) => {
        const details = { name, type: 'text/plain', size, ...(modifiedAt === null ? {} : { modifiedAt }) };
        const sealed = await sealDetails(subtle, secrets.detailsKey, random(12), 'a', details, false);
        expect(await openDetails(subtle, secrets.detailsKey, 'a', sealed)).toEqual(details);
        await expect(openDetails(subtle, secrets.detailsKey, 'b', sealed)).rejects.toThrowError('DECRYPTION_FAILED');
      }),
    );
  });

  it('do not open with any byte changed, or as a list', async () => {
    const sealed = await sealSmallDetails();
    const bytes = bytesOf(sealed);
    for (let at = 0; at < bytes.length; at += 1) {
      const bent = toBase64(bytes.with(at, (bytes[at] ?? 0) ^ 1));
      await expect(openDetails(subtle, secrets.detailsKey, 'a', bent)).rejects.toThrowError('DECRYPTION_FAILED');
    }
    await expect(openList(subtle, secrets.detailsKey, 'a', sealed)).rejects.toThrowError('DECRYPTION_FAILED');
  });

  it.each(['', 'A', '!', toBase64(random(12)), toBase64(random(40))])('do not open from %j', async (text) => {
    await expect(openDetails(subtle, secrets.detailsKey, 'a', text)).rejects.toThrowError('DECRYPTION_FAILED');
  });

  it('do not tell how long a name or a note is', async () => {
    const lengths = new Set<number>();
    for (const length of [1, 20, 100]) {
      const details = { name: 'n'.repeat(length), type: 'text/plain', size: 5 * length };
      lengths.add((await sealDetails(subtle, secrets.detailsKey, random(12), 'a', details, true)).length);
      const list = { files: ['a'], message: 'm'.repeat(length) };
      lengths.add((await sealList(subtle, secrets.detailsKey, random(12), 'a', list)).length);
    }
    expect(lengths.size).toBe(1);
  });

  it('of the largest list fit into the limits', async () => {
    const files = Array.from({ length: 1000 }, salt);
    const list = { files, title: '旅'.repeat(280), message: '旅'.repeat(280) };
    const sealed = await sealList(subtle, secrets.detailsKey, random(12), 'a', list);
    expect(sealed.length).toBeLessThanOrEqual(48_000);
    expect(await openList(subtle, secrets.detailsKey, 'a', sealed)).toEqual(list);
    const details = {
      name: '旅'.repeat(1024),
      type: 'x'.repeat(255),
      size: 2 ** 40,
      modifiedAt: 2 ** 40,
      executable: true,
    };
    expect((await sealDetails(subtle, secrets.detailsKey, random(12), 'a', details, true)).length).toBeLessThanOrEqual(
      8192,
    );
  });
});
