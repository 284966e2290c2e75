// The files that the sender has selected: reads what was picked, pasted or dropped, and finds the problems with it.
import { shownName } from '@furoshiki/format';
import {
  compareNames,
  type FileProblem,
  nameToSend,
  problemOfAll,
  problemOfFile,
  SYSTEM_FILES,
  type TotalProblem,
  totalToSend,
} from '@furoshiki/transfer';
import type { SelectedFile } from '../../services.ts';

interface SelectionItem extends SelectedFile {
  id: number;
}

/** Why a file was not added to the selection. */
type RefusalReason = FileProblem | 'duplicate' | 'unreadable';

export interface Refusal {
  name: string;
  reason: RefusalReason;
}

export interface Selection {
  files: readonly SelectionItem[];
  /** The files that the last change did not add. */
  refused: readonly Refusal[];
  nextId: number;
}

/** Why the selection as a whole cannot be sent. No file is removed automatically: the sender decides which. */
export type SelectionProblem = TotalProblem | undefined;

export const EMPTY_SELECTION: Selection = { files: [], refused: [], nextId: 0 };

export function addFiles(
  selection: Selection,
  added: readonly SelectedFile[],
  unreadable: readonly string[] = [],
): Selection {
  const files = [...selection.files];
  const refused: Refusal[] = unreadable.map((name) => ({ name: shownName(name), reason: 'unreadable' }));
  const identities = new Set(files.map(identityOf));
  let namesLength = files.reduce((sum, { name }) => sum + name.length, 0);
  let { nextId } = selection;
  for (const { name: givenName, file } of added) {
    const name = nameToSend(givenName);
    const identity = identityOf({ name, file });
    const isKnown = identities.has(identity);
    const reason = problemOfFile(name, file.size, namesLength) ?? (isKnown ? 'duplicate' : undefined);
    if (reason) {
      refused.push({ name, reason });
      continue;
    }
    identities.add(identity);
    namesLength += name.length;
    files.push({ id: nextId, name, file });
    nextId += 1;
  }
  return { files, refused, nextId };
}

export function removeFile(selection: Selection, id: number): Selection {
  return { ...selection, files: selection.files.filter((file) => file.id !== id), refused: [] };
}

/** Called when an upload starts, so that old refusals are not shown after it. */
export function clearRefusals(selection: Selection): Selection {
  return selection.refused.length === 0 ? selection : { ...selection, refused: [] };
}

export function totalBytes({ files }: Selection, hidesNames = false): number {
  return totalToSend(sizesOf(files), hidesNames);
}

export function problemOf({ files }: Selection, hidesNames: boolean): SelectionProblem {
  return problemOfAll(sizesOf(files), hidesNames);
}

const sizesOf = (files: readonly SelectedFile[]) => files.map(({ file }) => file.size);

/** Files with the same name may be different files from different folders. */
function identityOf({ name, file }: SelectedFile): string {
  return JSON.stringify([name, file.size, file.lastModified]);
}

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
