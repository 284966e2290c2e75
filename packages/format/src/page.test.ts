import { describe, expect, it } from 'vitest';
import { CHANGES, type ServedPage } from '../testing/dishonest-server.ts';
import { toBase64 } from './primitives.ts';
import { derivePageSecrets, makeKeyCheck } from './derived-keys.ts';
import { importKey, type SecretKey } from './key.ts';
import { type FileDetails, isHidden, type ListedFile, openPage, type PageList, sealDetails, sealList } from './page.ts';
import { paddedSize } from './plan.ts';
import type { FormatError, Tampering } from './errors.ts';

const { subtle } = globalThis.crypto;
const random = (length: number) => globalThis.crypto.getRandomValues(new Uint8Array(length));
const key = await importKey(subtle, random(32));
const otherKey = await importKey(subtle, random(32));

const NAMES = ['a.txt', 'b.txt', 'c.txt'];

/** `isExact`: the details also say how the file is stored, and how many files there are, as our own clients do. */
async function makePage({
  isHiding = false,
  isExact = false,
  of = key,
  fileCount = NAMES.length,
  listed = NAMES.length,
} = {}) {
  const pageSalt = toBase64(random(16));
  const { keyCheck, accessToken, detailsKey } = await derivePageSecrets(subtle, of, pageSalt);
  const files: ListedFile[] = [];
  for (const [index, name] of NAMES.entries()) {
    const salt = toBase64(random(16));
    const size = 2000 + index;
    const fileSize = isHiding ? paddedSize(size) : size;
    const details = { name, type: 'text/plain', size, ...(isExact ? { fileSize, chunkSize: 1000, fileCount } : {}) };
    files.push({
      ...page1,
      id: `${index}`.repeat(22),
      format: 2,
      fileName: isHiding ? `file-${index + 1}` : name,
      fileSize,
      salt,
      pageSalt,
      keyCheck,
      details: await sealDetails(subtle, detailsKey, random(12), salt, details, isHiding),
    });
  }
  const salts = files.slice(0, listed).map(({ salt = '' }) => salt);
  const list = await sealList(subtle, detailsKey, random(12), pageSalt, { files: salts, title: 'Hello' });
  return { files, list, accessToken };
}

const page1 = {
  isEncrypted: true,
  maxDownloads: 1,
  currentDownloads: 0,
  createdAt: 0,
  expiresAt: 1,
  retentionPeriod: 1,
  chunkSize: 1000,
  granted: false,
} as const;

const open = (page: ServedPage, given: SecretKey = key) => openPage(subtle, given, page);

describe.each([false, true])('a page whose names are hidden: %s', (isHiding) => {
  it('opens to what the sender has sent, with the proof of the key', async () => {
    const { accessToken, ...page } = await makePage({ isHiding });
    const { files, list } = await open(page);
    const opened = page.files.map(({ id }) => files.get(id));
    expect(opened.map((file) => [file?.details.name, file?.details.size])).toEqual([
      ['a.txt', 2000],
      ['b.txt', 2001],
      ['c.txt', 2002],
    ]);
    expect(opened.map((file) => file?.accessToken)).toEqual([accessToken, accessToken, accessToken]);
    expect(opened[0]?.sealed).toMatchObject({ fileSize: page.files[0]?.fileSize, contentSize: 2000 });
    expect(list?.title).toBe('Hello');
    expect(page.files.every(isHidden)).toBe(isHiding);
  });

  it('opens if files are missing, and says how many there were', async () => {
    const { files, list } = await makePage({ isHiding });
    const opened = await open({ files: [files[0]!, files[2]!], list });
    expect([opened.files.size, opened.fileCount]).toEqual([2, 3]);
  });

  it('opens without its list, and then knows the number of files only if the details have it', async () => {
    const { files } = await makePage({ isHiding });
    expect(await open({ files })).toMatchObject({ list: undefined, fileCount: undefined });
    const exact = await makePage({ isHiding, isExact: true });
    expect(await open({ files: exact.files.slice(1) })).toMatchObject({ list: undefined, fileCount: 3 });
  });

  it('does not open with another key', async () => {
    const { files, list } = await makePage({ isHiding });
    await expect(open({ files, list }, otherKey)).rejects.toMatchObject({ code: 'KEY_INCORRECT' });
  });
});

describe('a page that was tampered with', () => {
  it.each(CHANGES.filter(({ page }) => page))('with $what: $outcome', async ({ page, outcome }) => {
    const changed = page!(await makePage({ isExact: true }), await makePage({ isExact: true, of: otherKey }));
    const result = await open(changed).then(
      ({ files, fileCount = 0 }) => ({ missing: fileCount - files.size }),
      ({ code, details }: FormatError) => (code === 'PAGE_TAMPERED' ? { before: details.tampering } : { code }),
    );
    expect(result).toEqual(outcome);
  });

  it('is not called a wrong key, unless nothing on it fits the key', async () => {
    const page = await makePage({ isExact: true });
    const other = await makePage({ isExact: true, of: otherKey });
    await expect(open(other)).rejects.toMatchObject({ code: 'KEY_INCORRECT' });
    // Only the list still fits.
    const { pageSalt } = page.files[0]!;
    const files = other.files.map((file) => ({ ...file, pageSalt }));
    await expect(open({ files, list: page.list })).rejects.toMatchObject({
      details: { tampering: 'encryptionChanged' },
    });
    await expect(open({ files })).rejects.toMatchObject({ code: 'KEY_INCORRECT' });
  });

  it('is reported if only one file lacks what servers store, also with another key', async () => {
    const { files, list } = await makePage({ isExact: true });
    for (const index of [0, 1]) {
      const changed = files.map((file, position) => (position === index ? { ...file, salt: 'AA' } : file));
      await expect(open({ files: changed, list }, otherKey)).rejects.toMatchObject({
        details: { tampering: 'encryptionChanged' },
      });
    }
  });

  it('with another padded size is reported', async () => {
    const { files, list } = await makePage({ isHiding: true });
    const page = { files: files.with(0, { ...files[0]!, fileSize: 4096 }), list };
    await expect(open(page)).rejects.toMatchObject({ details: { tampering: 'sizeChanged' } });
  });

  it.each([
    ['a name that looks hidden', { fileName: 'file-1', fileSize: paddedSize(2000) }],
    ['another chunk size', { chunkSize: 999 }],
  ])('with %s is reported if the details say how the file is stored', async (_, lie) => {
    const { files, list } = await makePage({ isExact: true });
    await expect(open({ files, list })).resolves.toBeDefined();
    const page = { files: files.with(0, { ...files[0]!, ...lie }), list };
    await expect(open(page)).rejects.toMatchObject({ details: { tampering: 'sizeChanged' } });
  });

  it('with a file that the sender has sealed, but not listed, is reported', async () => {
    const { files, list } = await makePage({ listed: 2 });
    await expect(open({ files: files.slice(1), list })).rejects.toMatchObject({ details: { tampering: 'fileAdded' } });
  });

  it('with a count of files that is not the same everywhere is reported', async () => {
    const { files, list } = await makePage({ isExact: true, fileCount: 4 });
    expect((await open({ files })).fileCount).toBe(4);
    await expect(open({ files, list })).rejects.toMatchObject({ details: { tampering: 'listChanged' } });
    const few = await makePage({ isExact: true, fileCount: 2 });
    await expect(open({ files: few.files })).rejects.toMatchObject({ details: { tampering: 'fileAdded' } });
  });

  it.each([
    ['a salt twice', { files: ['a', 'a'] }],
    ['no file', { files: [] }],
    ['a title that is null', { files: ['a'], title: null }],
  ])('with a list that has %s is reported', async (_, content) => {
    const { files } = await makePage();
    const { pageSalt = '' } = files[0]!;
    const { detailsKey } = await derivePageSecrets(subtle, key, pageSalt);
    const list = await sealList(subtle, detailsKey, random(12), pageSalt, content as PageList);
    await expect(open({ files, list })).rejects.toMatchObject({ details: { tampering: 'listChanged' } });
  });

  it.each([
    ['a type of 256 characters', { type: 'x'.repeat(256) }],
    ['no name', { name: '' }],
    ['a date that is null', { modifiedAt: null }],
    ['a number for a yes', { executable: 1 }],
    ['a date with a fraction', { modifiedAt: 1.5 }],
    ['no files', { fileCount: 0 }],
    ['too many files', { fileCount: 1001 }],
  ])('with details that have %s is reported', async (_, wrong) => {
    const { files } = await makePage();
    const { pageSalt = '', salt = '', fileName: name, fileSize: size } = files[0]!;
    const { detailsKey } = await derivePageSecrets(subtle, key, pageSalt);
    const content = { name, type: '', size, ...wrong } as FileDetails;
    const details = await sealDetails(subtle, detailsKey, random(12), salt, content, false);
    const page = { files: files.with(0, { ...files[0]!, details }) };
    await expect(open(page)).rejects.toMatchObject({ details: { tampering: 'detailsChanged' } });
  });
});

describe('a page of format 1', () => {
  const make = async (): Promise<ListedFile> => {
    const salt = toBase64(random(16));
    const keyCheck = await makeKeyCheck(subtle, key, random(12), salt);
    return { ...page1, id: '1'.repeat(22), format: 1, fileName: 'file-1', fileSize: 5, salt, keyCheck };
  };

  it('opens with its key, and needs no proof', async () => {
    const { files, list } = await open({ files: [await make()] });
    expect([...files.values()]).toMatchObject([
      { details: { name: 'file-1', size: 5 }, sealed: { format: 1 }, key: key.gcm, accessToken: undefined },
    ]);
    expect(list).toBeUndefined();
  });

  it('does not open with another key', async () => {
    await expect(open({ files: [await make()] }, otherKey)).rejects.toMatchObject({ code: 'KEY_INCORRECT' });
  });

  it.each<[string, Tampering, (file: ListedFile, other: ListedFile) => ListedFile[]]>([
    ['without its check', 'encryptionChanged', (file) => [{ ...file, keyCheck: undefined }]],
    ['without its salt', 'encryptionChanged', (file) => [{ ...file, salt: undefined }]],
    ['as a file that is not encrypted', 'notEncrypted', (file) => [{ ...file, isEncrypted: false }]],
    ['with a file of another upload', 'fileAdded', (file, other) => [other, file]],
    ['as a file of format 2', 'encryptionChanged', (file) => [{ ...file, format: 2, pageSalt: file.salt }]],
  ])('does not open %s', async (_, tampering, change) => {
    const files = change(await make(), { ...(await make()), keyCheck: toBase64(random(28)) });
    await expect(open({ files })).rejects.toMatchObject({ code: 'PAGE_TAMPERED', details: { tampering } });
  });

  it('is never one with hidden names', async () => {
    expect(isHidden(await make())).toBe(false);
  });
});
