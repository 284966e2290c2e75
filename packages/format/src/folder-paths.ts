// Where the entries of a folder's archive are put: paths that a system can store, and that it does not take for each other.
import { foldedPath, numberedPath, safeName, safePath } from './archive-paths.ts';
import { FOLDER_SUFFIX, type FolderEntry } from './folder-archive.ts';
import { shownName } from './names.ts';

/** Returns the name of the folder whose archive has this name. */
export function folderNameOf(archiveName: string): string {
  const isLonger = archiveName.length > FOLDER_SUFFIX.length;
  return isLonger && archiveName.endsWith(FOLDER_SUFFIX) ? archiveName.slice(0, -FOLDER_SUFFIX.length) : archiveName;
}

/** Takes the entries in the order of the archive. Entries of a folder that was renamed are put into the renamed one. */
export type FolderPaths = (entry: Pick<FolderEntry, 'kind' | 'path'>) => string;

/** For a ZIP, which every system must be able to extract. The first part is the folder itself. */
export const createArchivePaths = (): FolderPaths => createPaths(safePath, safeName, foldedPath);

/**
 * Relative to the folder itself. `isExact`: the file system accepts every name, and distinguishes case and normal forms.
 * Then only characters are replaced that a terminal must not show.
 */
export const createRestoredPaths = (isExact: boolean): FolderPaths =>
  createPaths(() => '', isExact ? shownName : safeName, isExact ? (path) => path : foldedPath);

function createPaths(
  rootOf: (name: string) => string,
  nameOf: (name: string) => string,
  keyOf: (path: string) => string,
): FolderPaths {
  /** The prefix of what is in a folder. */
  const folders = new Map<string, string>();
  const taken = new Set<string>();
  /** The next free number of each path, so that many equal names need no search. */
  const nextNumber = new Map<string, number>();
  return ({ kind, path }) => {
    const nameAt = path.lastIndexOf('/') + 1;
    if (nameAt === 0) {
      const root = rootOf(path);
      folders.set(path, root === '' ? '' : `${root}/`);
      return root;
    }
    const wanted = (folders.get(path.slice(0, nameAt - 1)) ?? '') + nameOf(path.slice(nameAt));
    let distinct = wanted;
    let number = nextNumber.get(keyOf(wanted)) ?? 2;
    for (; taken.has(keyOf(distinct)); number += 1) distinct = numberedPath(wanted, number);
    if (distinct !== wanted) nextNumber.set(keyOf(wanted), number);
    taken.add(keyOf(distinct));
    if (kind === 'folder') folders.set(path, `${distinct}/`);
    return distinct;
  };
}
