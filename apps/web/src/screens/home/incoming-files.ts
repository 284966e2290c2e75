// Reads the files that the user picked, pasted or dropped. A file from a folder is named by its path within the folder.
import { compareNames, SYSTEM_FILES } from '@furoshiki/transfer';
import type { SelectedFile } from '../../services.ts';

export interface IncomingFiles {
  files: SelectedFile[];
  /** Names of dropped files and folders that cannot be read. */
  unreadable: string[];
}

export function pickedFiles(list: FileList | readonly File[] | null): SelectedFile[] {
  const files = [...(list ?? [])].map((file) => ({ name: file.webkitRelativePath || file.name, file }));
  const isFolder = files.some(({ file }) => file.webkitRelativePath);
  return isFolder ? files.filter(isMeant).toSorted((a, b) => comparePaths(a.name, b.name)) : files;
}

function isMeant({ name }: SelectedFile): boolean {
  return !SYSTEM_FILES.test(name);
}

/** Folder by folder, so that the files of a folder stay together. */
function comparePaths(a: string, b: string): number {
  const others = b.split('/');
  const orders = a.split('/').map((segment, depth) => compareNames(segment, others[depth] ?? ''));
  return orders.find((order) => order !== 0) ?? 0;
}

/** Must be called synchronously in the drop event: browsers clear its items afterwards. */
export function droppedFiles({ items, files }: DataTransfer): Promise<IncomingFiles> {
  const itemEntries = [...items].map((item) => (item.kind === 'file' ? item.webkitGetAsEntry() : null));
  const entries = itemEntries.filter((entry) => entry !== null);
  // Some browsers have no entries, and some drag sources are no file system: then there are only plain files.
  if (entries.length === 0) return Promise.resolve({ files: pickedFiles(files), unreadable: [] });
  return readEntries(entries);
}

/** Reads one entry after the other, in folder order: a thousand open files at once would be too many. */
export async function readEntries(entries: readonly FileSystemEntry[]): Promise<IncomingFiles> {
  const incoming: IncomingFiles = { files: [], unreadable: [] };
  const waiting = [...entries];
  for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
    try {
      if (entry.isDirectory) waiting.unshift(...(await childrenOf(entry as FileSystemDirectoryEntry)));
      else incoming.files.push({ name: pathOf(entry), file: await fileOf(entry as FileSystemFileEntry) });
    } catch {
      incoming.unreadable.push(pathOf(entry));
    }
  }
  return { ...incoming, files: incoming.files.filter(isMeant) };
}

function pathOf(entry: FileSystemEntry): string {
  return entry.fullPath.replace(/^\//u, '');
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => {
    entry.file(resolve, reject);
  });
}

async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    // Browsers return the entries in batches of a hundred; an empty batch is the end.
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (batch.length === 0) return children.toSorted((a, b) => compareNames(a.name, b.name));
    children.push(...batch);
  }
}
