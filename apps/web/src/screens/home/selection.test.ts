import { MAX_TOTAL_BYTES } from '@furoshiki/core';
import { describe, expect, it } from 'vitest';
import { addFiles, EMPTY_SELECTION, problemOf, removeFile, totalBytes } from './selection.ts';

const fileOf = (name: string, size: number) => ({ name, size }) as File;
const select = (...sizes: number[]) =>
  addFiles(
    EMPTY_SELECTION,
    sizes.map((size, n) => fileOf(`file ${n}`, size)),
  );

describe('the selection', () => {
  it('adds to what is there and totals it', () => {
    const selection = addFiles(select(1, 2), [fileOf('more', 4)]);
    expect(selection.chosen.map(({ name }) => name)).toEqual(['file 0', 'file 1', 'more']);
    expect(totalBytes(selection)).toBe(7);
  });

  it('leaves empty files out and names them until the next change', () => {
    const selection = addFiles(select(1), [fileOf('void', 0), fileOf('full', 1)]);
    expect(selection.empty).toEqual(['void']);
    expect(selection.chosen).toHaveLength(2);
    expect(removeFile(selection, 0).empty).toEqual([]);
  });

  it('removes one of two files with the same name', () => {
    const selection = addFiles(addFiles(EMPTY_SELECTION, [fileOf('a', 1)]), [fileOf('a', 2)]);
    expect(removeFile(selection, 0).chosen.map(({ size }) => size)).toEqual([2]);
  });

  it('repairs a name that UTF-8 cannot hold, because it is authenticated as UTF-8', () => {
    expect(addFiles(EMPTY_SELECTION, [fileOf('a\ud800', 1)]).chosen[0]?.name).toBe('a\ufffd');
  });

  it.each([
    ['nothing', select()],
    [undefined, select(MAX_TOTAL_BYTES)],
    ['too-large', select(MAX_TOTAL_BYTES, 1)],
    [undefined, select(...Array.from({ length: 1000 }, () => 1))],
    ['too-many', select(...Array.from({ length: 1001 }, () => 1))],
  ])('has the problem %s', (problem, selection) => {
    expect(problemOf(selection)).toBe(problem);
  });
});
