import { describe, expect, it } from 'vitest';
import { droppedFiles, pickedFiles, readEntries } from './incoming-files.ts';

const file = (name: string) => new File(['x'], name);

function fileEntry(fullPath: string, isReadable = true): FileSystemEntry {
  const name = fullPath.split('/').at(-1) ?? '';
  const read = (resolve: (found: File) => void, reject: (error: Error) => void) =>
    isReadable ? resolve(file(name)) : reject(new Error('denied'));
  return { isDirectory: false, isFile: true, fullPath, name, file: read } as unknown as FileSystemEntry;
}

/** Returns its children in batches of two; browsers use batches of a hundred. */
function folderEntry(fullPath: string, children: FileSystemEntry[]): FileSystemEntry {
  const createReader = () => {
    const remaining = [...children];
    return { readEntries: (resolve: (batch: FileSystemEntry[]) => void) => resolve(remaining.splice(0, 2)) };
  };
  return { isDirectory: true, isFile: false, fullPath, createReader } as unknown as FileSystemEntry;
}

const names = (files: { name: string }[]) => files.map(({ name }) => name);

describe('dropped files', () => {
  it('are named by their path within the folder, at any depth and in any number', async () => {
    const inner = folderEntry('/trip/day 1', [fileEntry('/trip/day 1/a.jpg'), fileEntry('/trip/day 1/b.jpg')]);
    const trip = folderEntry('/trip', [inner, fileEntry('/trip/c.jpg'), fileEntry('/trip/d.jpg')]);
    const { files } = await readEntries([trip, fileEntry('/single.txt')]);
    expect(names(files)).toEqual(['trip/day 1/a.jpg', 'trip/day 1/b.jpg', 'trip/c.jpg', 'trip/d.jpg', 'single.txt']);
    expect(files[0]?.file.name).toBe('a.jpg');
  });

  it('that cannot be read are listed, and the others are read', async () => {
    const { files, unreadable } = await readEntries([fileEntry('/locked', false), fileEntry('/open')]);
    expect([names(files), unreadable]).toEqual([['open'], ['locked']]);
  });

  it('are read as plain files if there are no entries', async () => {
    const items = [{ kind: 'file', webkitGetAsEntry: () => null }];
    const dropped = await droppedFiles({ items, files: [file('a')] } as unknown as DataTransfer);
    expect(names(dropped.files)).toEqual(['a']);
  });

  it('are read through their entries if there are any, and dropped text is ignored', async () => {
    const items = [{ kind: 'string' }, { kind: 'file', webkitGetAsEntry: () => fileEntry('/a') }];
    const dropped = await droppedFiles({ items, files: [file('other')] } as unknown as DataTransfer);
    expect(names(dropped.files)).toEqual(['a']);
  });
});

it('names a picked file by its path within the folder, or by its name', () => {
  const inFolder = Object.defineProperty(file('a.jpg'), 'webkitRelativePath', { value: 'trip/a.jpg' });
  const single = Object.defineProperty(file('b.jpg'), 'webkitRelativePath', { value: '' });
  expect(names(pickedFiles([inFolder, single]))).toEqual(['trip/a.jpg', 'b.jpg']);
  expect(pickedFiles(null)).toEqual([]);
});
