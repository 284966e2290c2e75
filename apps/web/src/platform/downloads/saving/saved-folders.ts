// Saves a folder, which arrives as one archive: as a ZIP, or each of its files separately. Nothing of an archive that the browser
// keeps is copied: both are made of its ranges.
import { type FolderFacts, folderNameOf } from '@furoshiki/format';
import {
  createZippedFolder,
  type FileSink,
  type FileToSave,
  type FolderContents,
  type FolderFile,
  type FolderToRead,
  zipOfFolder,
} from '@furoshiki/transfer';
import type { SavedFolder } from '../../../services.ts';
import { createWorkerCaller, startWorker } from '../../workers/worker-pools.ts';
import { keepAndSave, saveAs } from './saved-files.ts';

/** By the id of the file. */
const saved = new Map<string, SavedFolder>();

export const savedFolder = (id: string): SavedFolder | undefined => saved.get(id);

type NamedFile = Pick<FileToSave, 'id' | 'fileName' | 'folder'>;

/** Saves a complete file, or the ZIP of a folder. `remove` removes its bytes. Throws FOLDER_INVALID if it is no such archive. */
export async function keepAndSaveAny(file: NamedFile, whole: Blob, remove: () => Promise<void>): Promise<void> {
  const bytesInMemory = whole instanceof File ? 0 : whole.size;
  await keepAndSave({ id: file.id, ...(await toSave(file, whole, true)), bytesInMemory, remove });
}

/** The same for one that is too large for keeping it. */
export async function saveAnyOnce(file: NamedFile, whole: Blob): Promise<void> {
  const { content, fileName } = await toSave(file, whole, false);
  await saveAs(content, fileName);
}

async function toSave({ id, fileName, folder }: NamedFile, whole: Blob, keeps: boolean) {
  if (folder === undefined) return { content: whole, fileName };
  const contents = await readFolder(whole, folder);
  const save = ({ path, startsAt, size }: FolderFile) =>
    void saveAs(whole.slice(startsAt, startsAt + size), path.slice(path.lastIndexOf('/') + 1));
  saved.set(id, { ...contents, save: keeps ? save : undefined });
  const pieces = zipOfFolder(contents);
  const content = new Blob(pieces.map((piece) => ('start' in piece ? whole.slice(piece.start, piece.end) : piece)));
  return { content, fileName: zipNameOf(fileName) };
}

const zipNameOf = (archiveName: string) => `${folderNameOf(archiveName)}.zip`;

async function readFolder(archive: Blob, facts: FolderFacts): Promise<FolderContents> {
  const worker = createWorkerCaller<FolderToRead, FolderContents>(startWorker('folder'));
  try {
    return await worker.call({ archive, facts });
  } finally {
    worker.end();
  }
}

/** A file whose bytes are not kept. */
export interface StreamedFile {
  fileName: string;
  /** Undefined if it is known only at the end. */
  fileSize: number | undefined;
}

export function streamedFile({ fileName, fileSize, folder }: FileToSave): StreamedFile {
  return folder ? { fileName: zipNameOf(fileName), fileSize: undefined } : { fileName, fileSize };
}

/** Returns where the file is written to. A folder becomes a ZIP on the way. */
export function streamSink({ id, folder }: FileToSave, sink: FileSink): FileSink {
  if (!folder) return sink;
  return createZippedFolder(sink, folder, (contents) => void saved.set(id, { ...contents, save: undefined }));
}
