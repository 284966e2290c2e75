import { MAX_NAMES_LENGTH_PER_PAGE, MAX_TOTAL_BYTES } from '@furoshiki/api';
import { describe, expect, it } from 'vitest';
import { addFiles, clearRefusals, EMPTY_SELECTION, problemOf, removeFile, totalBytes } from './selection.ts';

const fileOf = (name: string, size: number, lastModified = 0) => ({ name, file: { size, lastModified } as File });
const select = (...sizes: number[]) =>
  addFiles(
    EMPTY_SELECTION,
    sizes.map((size, n) => fileOf(`file ${n}`, size)),
  );

describe('the selection', () => {
  it('adds files to the existing ones and sums their sizes', () => {
    const selection = addFiles(select(1, 2), [fileOf('more', 4)]);
    expect(selection.files.map(({ name }) => name)).toEqual(['file 0', 'file 1', 'more']);
    expect(totalBytes(selection)).toBe(7);
  });

  it('refuses files that cannot be sent, each with its reason, and keeps all others', () => {
    const selection = addFiles(
      select(1),
      [
        fileOf('void', 0),
        fileOf('full', 1),
        fileOf('file 0', 1),
        fileOf('huge', MAX_TOTAL_BYTES + 1),
        fileOf('n'.repeat(1025), 1),
        fileOf('full', 1),
        fileOf('last', 1),
      ],
      ['locked'],
    );
    expect(selection.refused).toEqual([
      { name: 'locked', reason: 'unreadable' },
      { name: 'void', reason: 'empty' },
      { name: 'file 0', reason: 'duplicate' },
      { name: 'huge', reason: 'fileTooLarge' },
      { name: 'n'.repeat(1025), reason: 'nameTooLong' },
      { name: 'full', reason: 'duplicate' },
    ]);
    expect(selection.files.map(({ name }) => name)).toEqual(['file 0', 'full', 'last']);
    expect(removeFile(selection, 0).refused).toEqual([]);
    expect(clearRefusals(selection)).toEqual({ ...selection, refused: [] });
  });

  it.each([
    ['another size', fileOf('file 0', 2)],
    ['another date', fileOf('file 0', 1, 5)],
    ['another folder', fileOf('folder/file 0', 1)],
  ])('accepts a file with the same name but %s', (_, file) => {
    expect(addFiles(select(1), [file])).toMatchObject({ files: { length: 2 }, refused: [] });
  });

  it('accepts a file again after it was removed', () => {
    expect(addFiles(removeFile(select(1), 0), [fileOf('file 0', 1)])).toMatchObject({ files: [{ id: 1 }] });
  });

  it('removes one of two files with the same name', () => {
    const selection = addFiles(addFiles(EMPTY_SELECTION, [fileOf('a', 1)]), [fileOf('a', 2)]);
    expect(removeFile(selection, 0).files.map(({ file }) => file.size)).toEqual([2]);
  });

  it('replaces characters of a name that the server refuses', () => {
    const { files, refused } = addFiles(EMPTY_SELECTION, [fileOf('a\n\u202eb', 1)], ['c\u202ed']);
    expect([files[0]?.name, refused[0]?.name]).toEqual(['a__b', 'c_d']);
  });

  it('refuses files whose names would make the page too long', () => {
    const added = Array.from({ length: 300 }, (_, n) => fileOf(`${n} ${'n'.repeat(1000)}`, 1));
    const { files, refused } = addFiles(EMPTY_SELECTION, added);
    expect(files.reduce((sum, { name }) => sum + name.length, 0)).toBeLessThanOrEqual(MAX_NAMES_LENGTH_PER_PAGE);
    expect(files.length).toBeGreaterThan(190);
    expect(refused.at(-1)?.reason).toBe('nameTooLong');
  });

  it('makes a name well-formed, because it is authenticated as UTF-8', () => {
    expect(addFiles(EMPTY_SELECTION, [fileOf('a\ud800', 1)]).files[0]?.name).toBe('a\ufffd');
  });

  it('counts the padding of hidden names', () => {
    const selection = select(MAX_TOTAL_BYTES - 1);
    expect([problemOf(selection, false), problemOf(selection, true)]).toEqual([undefined, 'too-large']);
  });

  it.each([
    ['nothing', select()],
    [undefined, select(MAX_TOTAL_BYTES)],
    ['too-large', select(MAX_TOTAL_BYTES, 1)],
    [undefined, select(...Array.from({ length: 1000 }, () => 1))],
    ['too-many', select(...Array.from({ length: 1001 }, () => 1))],
  ])('has the problem %s, and keeps every file', (problem, selection) => {
    expect(problemOf(selection, false)).toBe(problem);
    expect(selection.refused).toEqual([]);
  });
});
