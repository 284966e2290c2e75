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

interface Wish {
  /** The folder above it. It exists. */
  parent: string;
  /** What the name is made of. Anything: it comes from the sender. */
  title: string;
  /** The same if a later command receives the same page. */
  identity: string;
  /** Where it is remembered. */
  records: string;
}

/** The number of the folder in its file system: its name alone does not say that it is ours. */
interface FolderRecord {
  name: string;
  inode: number;
}

export async function openOwnFolder({ parent, title, identity, records }: Wish): Promise<OwnFolder> {
  const texts = createTextFiles(records);
  const root = await realpath(parent);
  const recordName = `folder-${digestOf(JSON.stringify([root, identity]))}`;
  const known = parseRecord(texts.getItem(recordName));
  const isOurs = known && (await inodeOf(join(root, known.name))) === known.inode;
  const name = isOurs ? known.name : await makeNew(root, visiblePath(title.replaceAll('/', '_')));
  if (!isOurs)
    texts.setItem(
      recordName,
      JSON.stringify({ name, inode: (await inodeOf(join(root, name))) ?? 0 } satisfies FolderRecord),
    );
  return {
    name,
    async end(isComplete) {
      const isEmpty = !isComplete && (await isRemoved(join(root, name)));
      if (isComplete || isEmpty) texts.removeItem(recordName);
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
