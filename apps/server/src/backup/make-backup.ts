// Makes a backup of an embedded database and its disk, beside a server that uses them.
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { createLockFile, type DataPaths, giveToOwnerOf, markerIn, tryToLock } from '../config/data-folder.ts';
import { reasonOf } from '../diagnosis.ts';
import type { CopiedFile, DatabaseCopy, EmbeddedStores, StoredFile } from '../ports/backup.ts';
import { type AddEntry, BackupError, writeArchive } from './archive.ts';
import type { WriteBlocks } from './new-file.ts';

const FILES_PER_QUERY = 500;

interface BackupSource extends Pick<EmbeddedStores, 'copyDatabase' | 'objectFiles'> {
  paths: DataPaths;
  /** Whether the secret is in the data folder, and not a setting. */
  hasOwnSecret: boolean;
  nowMs: number;
}

export interface BackupSummary {
  files: number;
  /** Of these files, as they are stored. */
  bytes: number;
  /** Uploads that were under way, which are not in the archive. */
  openUploads: number;
  /** Files that were deleted while the backup was made, which are not in the archive either. */
  deleted: number;
  /** Files that the database lists although their bytes are missing or damaged. They are left out too. */
  lost: number;
}

/** `write` gets the archive. Throws a BackupError if another backup of the same folder is being made. */
export async function makeBackup(
  source: BackupSource,
  write: WriteBlocks,
  signal: AbortSignal,
): Promise<BackupSummary> {
  const { root, backup: folder, backupLock } = source.paths;
  await createLockFile(root, backupLock);
  const lock = tryToLock(backupLock);
  if (!lock) throw new BackupError(`another backup of ${root} is being made`);
  try {
    // One that was killed may have left its copy of the database, with the names of files.
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { mode: 0o700 });
    await giveToOwnerOf(root, folder);
    return await writeBackup(source, write, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
    lock.release();
  }
}

async function writeBackup(source: BackupSource, write: WriteBlocks, signal: AbortSignal): Promise<BackupSummary> {
  const { paths, hasOwnSecret, nowMs } = source;
  // The database first: bytes that arrive later belong to no file of the copy, and bytes that are deleted later take their
  // file out of it. So the copy is finished, and written, after the bytes.
  const copy = await source.copyDatabase(paths.backup);
  try {
    const header = { version: packageJson.version, createdAt: new Date(nowMs).toISOString(), schema: copy.schema };
    const summary: BackupSummary = { files: 0, bytes: 0, openUploads: copy.openUploads, deleted: 0, lost: 0 };
    await writeArchive(header, join(paths.backup, 'sums'), write, async (add) => {
      await addFile(add, paths.root, markerIn(paths.objects));
      for (const file of filesOf(copy)) {
        signal.throwIfAborted();
        await addObject(source, copy, file, summary, add, signal);
      }
      if (summary.deleted + summary.lost > 0) await assertStillMounted(paths, copy);
      if (hasOwnSecret) await addFile(add, paths.root, paths.secret);
      const database = copy.finish();
      const { size } = await stat(database);
      await add(basename(paths.database), size, createReadStream(database));
    });
    return summary;
  } finally {
    copy.close();
  }
}

function* filesOf(copy: DatabaseCopy): Generator<CopiedFile> {
  let afterKey = '';
  for (;;) {
    const batch = copy.listFiles(afterKey, FILES_PER_QUERY);
    yield* batch;
    if (batch.length < FILES_PER_QUERY) return;
    afterKey = batch.at(-1)?.fileKey ?? '';
  }
}

async function addObject(
  { paths, objectFiles }: BackupSource,
  copy: DatabaseCopy,
  { id, fileKey, storedSize }: CopiedFile,
  summary: BackupSummary,
  add: AddEntry,
  signal: AbortSignal,
): Promise<void> {
  const opened = await objectFiles.open(fileKey, storedSize).catch((cause: unknown) => {
    throw unreadable(paths.objects, cause);
  });
  if (opened === 'gone' || opened === 'damaged') {
    summary[copy.leaveOut(id)] += 1;
    return;
  }
  try {
    for (const file of opened.files)
      await add(`${basename(paths.objects)}/${file.path}`, file.size, readable(paths.objects, file, signal));
  } finally {
    await opened.close();
  }
  summary.files += 1;
  summary.bytes += storedSize;
}

async function* readable(folder: string, file: StoredFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for await (const block of file.read()) {
      signal.throwIfAborted();
      yield block;
    }
  } catch (cause) {
    throw signal.aborted ? cause : unreadable(folder, cause);
  }
}

const unreadable = (folder: string, cause: unknown) =>
  new BackupError(`${folder} cannot be read (${reasonOf(cause)})`, { cause });

/** A small file of the data folder. */
async function addFile(add: AddEntry, root: string, path: string): Promise<void> {
  const content = await readFile(path).catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  await add(path.slice(root.length + 1), content.length, [content]);
}

/** Otherwise a disk that was unmounted in between would make an archive without files. */
async function assertStillMounted({ objects }: DataPaths, { databaseId }: DatabaseCopy): Promise<void> {
  const marker = markerIn(objects);
  const owner = existsSync(marker) ? await readFile(marker, 'utf8') : undefined;
  if (owner === undefined || (databaseId !== undefined && owner !== '' && owner !== databaseId))
    throw new BackupError(`${objects} is not the folder that the database knows: is its disk mounted?`);
}
