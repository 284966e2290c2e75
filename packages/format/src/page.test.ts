import { describe, expect, it } from 'vitest';
import { toBase64 } from './primitives.ts';
import { derivePageSecrets, makeKeyCheck } from './derived-keys.ts';
import { importKey, type SecretKey } from './key.ts';
import { isHidden, openPage, sealDetails, sealList, type ListedFile } from './page.ts';
import { paddedSize } from './plan.ts';

const { subtle } = globalThis.crypto;
const random = (length: number) => globalThis.crypto.getRandomValues(new Uint8Array(length));
const key = await importKey(subtle, random(32));
const otherKey = await importKey(subtle, random(32));

const NAMES = ['a.txt', 'b.txt', 'c.txt'];

/** `isExact`: the details also say how the file is stored. */
async function makePage({ isHiding = false, isExact = false } = {}) {
  const pageSalt = toBase64(random(16));
  const { keyCheck, accessToken, detailsKey } = await derivePageSecrets(subtle, key, pageSalt);
  const files: ListedFile[] = [];
  for (const [index, name] of NAMES.entries()) {
    const salt = toBase64(random(16));
    const size = 2000 + index;
    const fileSize = isHiding ? paddedSize(size) : size;
    const details = { name, type: 'text/plain', size, ...(isExact ? { fileSize, chunkSize: 1000 } : {}) };
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
  const salts = files.map(({ salt = '' }) => salt);
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

const open = (page: { files: ListedFile[]; list?: string | undefined }, given: SecretKey = key) =>
  openPage(subtle, given, page);

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
    expect([opened.files.size, opened.list?.files.length]).toEqual([2, 3]);
  });

  it('opens without its list', async () => {
    const { files } = await makePage({ isHiding });
    expect((await open({ files })).list).toBeUndefined();
  });

  it('does not open with another key', async () => {
    const { files, list } = await makePage({ isHiding });
    await expect(open({ files, list }, otherKey)).rejects.toMatchObject({ code: 'KEY_INCORRECT' });
  });
});

describe('a page that was tampered with', () => {
  type Page = Awaited<ReturnType<typeof makePage>>;
  const lies: [string, string, (page: Page, other: Page) => { files: ListedFile[]; list?: string }][] = [
    ['a file of another page', 'fileAdded', ({ files, list }, other) => ({ files: [...files, other.files[0]!], list })],
    ['a file twice', 'fileAdded', ({ files, list }) => ({ files: [...files, files[0]!], list })],
    [
      'a file of format 1',
      'fileAdded',
      ({ files, list }) => ({ files: [...files, { ...page1, ...files[0]!, id: 'x', format: 1 }], list }),
    ],
    ['another order', 'orderChanged', ({ files, list }) => ({ files: files.toReversed(), list })],
    [
      'another name',
      'nameChanged',
      ({ files, list }) => ({ files: files.with(0, { ...files[0]!, fileName: 'x' }), list }),
    ],
    [
      'a number for a name',
      'nameChanged',
      ({ files, list }) => ({ files: files.with(0, { ...files[0]!, fileName: 'file-1' }), list }),
    ],
    [
      'another size',
      'sizeChanged',
      ({ files, list }) => ({ files: files.with(0, { ...files[0]!, fileSize: 1 }), list }),
    ],
    [
      'the details of another file',
      'detailsChanged',
      ({ files, list }) => ({ files: files.with(0, { ...files[0]!, details: files[1]!.details }), list }),
    ],
    [
      'no details',
      'detailsChanged',
      ({ files, list }) => ({ files: files.with(0, { ...files[0]!, details: undefined }), list }),
    ],
    ['the list of another page', 'listChanged', ({ files }, other) => ({ files, list: other.list })],
    ['a damaged list', 'listChanged', ({ files, list }) => ({ files, list: list.slice(4) })],
  ];

  it.each(lies)('with %s is reported as %s', async (_, tampering, lie) => {
    const page = lie(await makePage(), await makePage());
    await expect(open(page)).rejects.toMatchObject({ code: 'PAGE_TAMPERED', details: { tampering } });
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

  it('with a file twice is reported without a list, too', async () => {
    const { files } = await makePage();
    const twice = { files: [...files, { ...files[0]!, id: 'x' }] };
    await expect(open(twice)).rejects.toMatchObject({ details: { tampering: 'fileAdded' } });
  });

  it('with a file that is said to be unencrypted does not accept the key', async () => {
    const { files, list } = await makePage();
    const page = { files: files.with(0, { ...files[0]!, isEncrypted: false }), list };
    await expect(open(page)).rejects.toMatchObject({ code: 'KEY_INCORRECT' });
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

  it('does not open with another key, or without its check', async () => {
    const file = await make();
    await expect(open({ files: [file] }, otherKey)).rejects.toMatchObject({ code: 'KEY_INCORRECT' });
    await expect(open({ files: [{ ...file, keyCheck: undefined }] })).rejects.toMatchObject({ code: 'KEY_INCORRECT' });
  });

  it('is never one with hidden names', async () => {
    expect(isHidden(await make())).toBe(false);
  });
});
