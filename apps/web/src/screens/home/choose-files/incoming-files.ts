// The files that somebody picked or dropped, whole folders among them, each under its path within its folder.
import type { SelectedFile } from '../../../services.ts';

export interface IncomingFiles {
  files: SelectedFile[];
  /** Names of what was dropped and cannot be read. */
  unreadable: string[];
}

export function pickedFiles(list: FileList | readonly File[] | null): SelectedFile[] {
  return [...(list ?? [])].map((file) => ({ name: file.webkitRelativePath || file.name, file }));
}

/** Must be called while the drop is being handled: its items are gone a moment later. */
export function droppedFiles({ items, files }: DataTransfer): Promise<IncomingFiles> {
  const entries = [...items].map((item) => (item.kind === 'file' ? item.webkitGetAsEntry() : null));
  const known = entries.filter((entry) => entry !== null);
  // A browser without entries, or a source that is no file system, gives plain files.
  if (known.length === 0) return Promise.resolve({ files: pickedFiles(files), unreadable: [] });
  return readEntries(known);
}

/** One after the other, in the order of the folder: a thousand files at once would be too many to have open. */
export async function readEntries(entries: readonly FileSystemEntry[]): Promise<IncomingFiles> {
  const given: IncomingFiles = { files: [], unreadable: [] };
  const waiting = [...entries];
  for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
    try {
      if (entry.isDirectory) waiting.unshift(...(await childrenOf(entry as FileSystemDirectoryEntry)));
      else given.files.push({ name: pathOf(entry), file: await fileOf(entry as FileSystemFileEntry) });
    } catch {
      given.unreadable.push(pathOf(entry));
    }
  }
  return given;
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
    // A hundred at a time, until there are none.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (some.length === 0) return children;
    children.push(...some);
  }
}
