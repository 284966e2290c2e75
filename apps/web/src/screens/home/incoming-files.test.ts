import { describe, expect, it } from 'vitest';
import { droppedFiles, pickedFiles, readEntries } from './selection.ts';

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
  const name = fullPath.split('/').at(-1) ?? '';
  return { isDirectory: true, isFile: false, fullPath, name, createReader } as unknown as FileSystemEntry;
}

const names = (files: { name: string }[]) => files.map(({ name }) => name);

describe('dropped files', () => {
  it('are named by their path within the folder, at any depth and in any number', async () => {
    const inner = folderEntry('/trip/day 1', [fileEntry('/trip/day 1/a.jpg'), fileEntry('/trip/day 1/b.jpg')]);
    const trip = folderEntry('/trip', [inner, fileEntry('/trip/c.jpg'), fileEntry('/trip/d.jpg')]);
    const { files } = await readEntries([trip, fileEntry('/single.txt')]);
    expect(names(files)).toEqual(['trip/c.jpg', 'trip/d.jpg', 'trip/day 1/a.jpg', 'trip/day 1/b.jpg', 'single.txt']);
    expect(files[2]?.file.name).toBe('a.jpg');
  });

  it('of a folder are in the order that people expect', async () => {
    const children = ['10.jpg', '9.jpg', 'B.jpg', 'a.jpg', '1.jpg'].map((name) => fileEntry(`/trip/${name}`));
    const { files } = await readEntries([folderEntry('/trip', children)]);
    expect(names(files).map((name) => name.slice(5))).toEqual(['1.jpg', '9.jpg', '10.jpg', 'a.jpg', 'B.jpg']);
  });

  it('of a folder are without those of the system, which are kept if they are dropped by themselves', async () => {
    const system = ['.DS_Store', 'Thumbs.db', 'desktop.ini'];
    const folder = folderEntry(
      '/trip',
      [...system, 'a.jpg', 'my Thumbs.db'].map((name) => fileEntry(`/trip/${name}`)),
    );
    const { files } = await readEntries([folder, fileEntry('/desktop.ini')]);
    expect(names(files)).toEqual(['trip/a.jpg', 'trip/my Thumbs.db', 'desktop.ini']);
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

it('sorts the files of a picked folder, and leaves out those of the system', () => {
  const paths = ['trip/b 10/x', 'trip/b 9/y', 'trip/b 9/Thumbs.db', 'trip/.DS_Store', 'trip/a'];
  const inFolder = paths.map((path) =>
    Object.defineProperty(file(path.split('/').at(-1) ?? ''), 'webkitRelativePath', { value: path }),
  );
  expect(names(pickedFiles(inFolder))).toEqual(['trip/a', 'trip/b 9/y', 'trip/b 10/x']);
});

it('names a picked file by its path within the folder, or by its name', () => {
  const inFolder = Object.defineProperty(file('a.jpg'), 'webkitRelativePath', { value: 'trip/a.jpg' });
  const single = Object.defineProperty(file('b.jpg'), 'webkitRelativePath', { value: '' });
  expect(names([inFolder, single].flatMap((picked) => pickedFiles([picked])))).toEqual(['trip/a.jpg', 'b.jpg']);
  expect(pickedFiles(null)).toEqual([]);
});
