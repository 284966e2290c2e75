// The folder for a page of several files, if the user names none: a new one, or that of the download that is continued. Files of a
// stranger never get between those of the user.
import { lstat, mkdir, readdir, realpath, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { distinctPaths, visiblePath } from '@furoshiki/format';
import { createTextFiles, digestOf } from '../state/folders.ts';

export interface OwnFolder {
  name: string;
  /** Call when the command ends. The same command continues in this folder, unless everything is saved, or nothing was kept. */
  end(isComplete: boolean): Promise<void>;
}

interface Known {
  /** The folder above it. It exists. */
  parent: string;
  /** The same if a later command receives the same page. */
  identity: string;
  /** Where it is remembered. */
  records: string;
}

interface Wish extends Known {
  /** What the name is made of. Anything: it comes from the sender. */
  title: string;
}

/** The number of the folder in its file system: its name alone does not say that it is ours. */
interface FolderRecord {
  name: string;
  inode: number;
}

export async function openOwnFolder({ title, ...known }: Wish): Promise<OwnFolder> {
  const folder = await findOwnFolder(known);
  if (folder) return folder;
  const root = await realpath(known.parent);
  const name = await makeNew(root, visiblePath(title.replaceAll('/', '_')));
  const record: FolderRecord = { name, inode: (await inodeOf(join(root, name))) ?? 0 };
  createTextFiles(known.records).setItem(recordNameOf(root, known.identity), JSON.stringify(record));
  return ownFolder(known, root, name);
}

/** Returns the folder of a download that is not complete. */
export async function findOwnFolder(known: Known): Promise<OwnFolder | undefined> {
  const root = await realpath(known.parent);
  const record = parseRecord(createTextFiles(known.records).getItem(recordNameOf(root, known.identity)));
  const isOurs = record && (await inodeOf(join(root, record.name))) === record.inode;
  return isOurs ? ownFolder(known, root, record.name) : undefined;
}

const recordNameOf = (root: string, identity: string) => `folder-${digestOf(JSON.stringify([root, identity]))}`;

function ownFolder({ identity, records }: Known, root: string, name: string): OwnFolder {
  return {
    name,
    async end(isComplete) {
      const isEmpty = !isComplete && (await isRemoved(join(root, name)));
      if (isComplete || isEmpty) createTextFiles(records).removeItem(recordNameOf(root, identity));
    },
  };
}

/** Makes a folder that did not exist, with a number in its name if necessary. */
async function makeNew(root: string, wish: string): Promise<string> {
  for (;;) {
    // Distinct also on file systems that ignore case.
    const name = distinctPaths([...(await readdir(root)), wish]).at(-1) ?? wish;
    try {
      await mkdir(join(root, name));
      return name;
    } catch (error) {
      // Another process was faster.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Undefined if it is not a folder, or a symbolic link to one. */
async function inodeOf(path: string): Promise<number | undefined> {
  const facts = await lstat(path).catch(() => undefined);
  return facts?.isDirectory() ? facts.ino : undefined;
}

/** Removes it if it is empty. */
function isRemoved(path: string): Promise<boolean> {
  return rmdir(path).then(
    () => true,
    () => false,
  );
}

function parseRecord(text: string | null): FolderRecord | undefined {
  try {
    const { name, inode } = JSON.parse(text ?? '') as FolderRecord;
    return typeof name === 'string' && name !== '' && Number.isSafeInteger(inode) ? { name, inode } : undefined;
  } catch {
    return undefined;
  }
}
