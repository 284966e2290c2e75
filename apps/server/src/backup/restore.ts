// Restores a backup into an empty data folder. Until the last step, which is one rename, no server starts on the folder.
import { type Dirent, existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createLockFile, type DataPaths, giveToOwnerOf, markerIn, tryToLock } from '../config/data-folder.ts';
import { reasonOf } from '../diagnosis.ts';
import type { EmbeddedStores } from '../ports/backup.ts';
import { syncFolder } from '../sync-folder.ts';
import { type ArchiveHeader, BackupError, type Content, readArchive } from './archive.ts';

const FILES_PER_QUERY = 500;
/** A file system writes what is synced at the same time together. */
const SYNCED_AT_ONCE = 8;

interface RestoreTarget extends Pick<EmbeddedStores, 'objectFiles' | 'openRestored' | 'knowsSchema'> {
  paths: DataPaths;
}

interface RestoreSummary {
  files: number;
  bytes: number;
  hasSecret: boolean;
  /** When the backup was made. */
  createdAt: string;
}

export async function restore(
  target: RestoreTarget,
  source: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<RestoreSummary> {
  const { root, lock } = target.paths;
  await assertEmpty(target.paths, existsSync(lock));
  await mkdir(root, { recursive: true, mode: 0o700 }).catch(orNotWritable(root));
  await createLockFile(root, lock).catch(orNotWritable(root));
  const held = tryToLock(lock);
  if (!held) throw new BackupError(`a server uses DATA_DIR ${root}: stop it`);
  try {
    // Again, because a server may have been here before the lock was.
    await assertEmpty(target.paths, false);
    await removeRemains(target.paths);
    return await restoreLocked(target, source, signal);
  } finally {
    held.release();
  }
}

/** What a restore that was killed has left does not count, and neither does the mount point of a disk for the objects. */
async function assertEmpty(paths: DataPaths, mayBeLocked: boolean): Promise<void> {
  const { root, objects, secret, lock, restoring } = paths;
  const isMountPoint = (await namesIn(objects)).length === 0;
  const remains = existsSync(restoring) ? [objects, secret, restoring] : [];
  const ignored = new Set([lock, ...remains, ...(isMountPoint ? [objects] : [])].map((path) => basename(path)));
  const isEmpty = (await namesIn(root)).every((name) => ignored.has(name));
  // If a server uses it, the lock says so, which explains more.
  if (isEmpty || mayBeLocked) return;
  throw new BackupError(`DATA_DIR ${root} is not empty: move what is in it away, or set another DATA_DIR`);
}

/** Without what a file system has of its own. */
async function namesIn(path: string): Promise<string[]> {
  if (!existsSync(path)) return [];
  const names = await readdir(path).catch((cause: unknown) => {
    throw new BackupError(`${path} cannot be read (${reasonOf(cause)})`, { cause });
  });
  return names.filter((name) => name !== 'lost+found');
}

async function restoreLocked(
  target: RestoreTarget,
  source: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<RestoreSummary> {
  const { paths } = target;
  const { root, objects, database, restoring } = paths;
  const unpacking = createUnpacking(target);
  try {
    await readArchive(source, unpacking, signal);
    const summary = { ...(await checkAll(target, unpacking.objectCount())), hasSecret: existsSync(paths.secret) };
    signal.throwIfAborted();
    await syncAll(objects, signal).catch(orNotWritable(root));
    for (const path of [restoring, ...(summary.hasSecret ? [paths.secret] : [])]) await syncFile(path);
    await syncFolder(root);
    // The last step: the database appears, and what forbids a start disappears.
    await rename(restoring, database);
    await syncFolder(root);
    return { ...summary, createdAt: unpacking.createdAt() };
  } catch (error) {
    await removeRemains(paths);
    throw error;
  }
}

/** Creates the files. Every path is one that a backup has, so none leads out of the folder. */
function createUnpacking(target: RestoreTarget) {
  const { paths, objectFiles, knowsSchema } = target;
  const { root, objects, secret, restoring } = paths;
  const objectsPrefix = `${basename(objects)}/`;
  const single = new Map([
    [`${objectsPrefix}${basename(markerIn(objects))}`, markerIn(objects)],
    [basename(secret), secret],
    [basename(paths.database), restoring],
  ]);
  const seen = new Set<string>();
  let [objectFileCount, createdAt] = [0, ''];

  async function createFolder(path: string): Promise<void> {
    if (existsSync(path)) return;
    await createFolder(dirname(path));
    await mkdir(path, { mode: 0o700 });
    await giveToOwnerOf(root, path);
  }

  function pathFor(name: string): string {
    const isObject =
      name.startsWith(objectsPrefix) && objectFiles.keyOf(name.slice(objectsPrefix.length)) !== undefined;
    if (isObject) objectFileCount += 1;
    if (isObject) return join(root, name);
    const path = single.get(name);
    if (path === undefined) throw new BackupError('it has a file that no backup has');
    if (seen.has(name)) throw twice();
    seen.add(name);
    return path;
  }

  return {
    async onHeader(header: ArchiveHeader) {
      if (!knowsSchema(header.schema))
        throw new BackupError(`it is from a newer version, ${header.version}: restore it with that version`);
      ({ createdAt } = header);
      // From now on no server starts here.
      await createFile(root, restoring, []).catch(orNotWritable(root));
      await syncFolder(root);
      await createFolder(objects);
    },
    async onEntry(name: string, content: Content) {
      const path = pathFor(name);
      await createFolder(dirname(path)).catch(orNotWritable(root));
      await createFile(root, path, content, path === restoring ? 'r+' : 'wx').catch(orNotWritable(root));
    },
    /** Each object has two files. */
    objectCount: () => objectFileCount / 2,
    createdAt: () => createdAt,
  };
}

const twice = (cause?: unknown) => new BackupError('it has a file twice', { cause });

async function createFile(root: string, path: string, content: Content, flags = 'wx'): Promise<void> {
  const file = await open(path, flags, 0o600).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'EEXIST' ? twice(cause) : cause;
  });
  try {
    for await (const block of content) await file.writeFile(block);
  } finally {
    await file.close();
  }
  await giveToOwnerOf(root, path);
}

/** Throws a BackupError unless the database is whole, and lists exactly the objects that were unpacked. */
async function checkAll(
  { paths, openRestored, objectFiles }: RestoreTarget,
  objectCount: number,
): Promise<{ files: number; bytes: number }> {
  const damaged = (cause?: unknown) => new BackupError('its database is damaged or missing', { cause });
  /** SQLite throws instead of listing the damage if its own tables are damaged. */
  const orDamaged = <T>(work: () => T) => {
    try {
      return work();
    } catch (cause) {
      throw damaged(cause);
    }
  };
  const database = orDamaged(() => openRestored(paths.restoring));
  try {
    if (orDamaged(() => database.findDamage()).length > 0) throw damaged();
    const owner = await readFile(markerIn(paths.objects), 'utf8').catch(() => undefined);
    if (owner === undefined || (owner !== '' && owner !== database.databaseId))
      throw new BackupError('its files belong to another database');
    let [files, bytes, afterKey] = [0, 0, ''];
    for (;;) {
      const batch = database.listFiles(afterKey, FILES_PER_QUERY);
      for (const { fileKey, storedSize } of batch) {
        if (!(await objectFiles.isWhole(fileKey, storedSize)))
          throw new BackupError('it lacks bytes of a file that its database lists');
        files += 1;
        bytes += storedSize;
      }
      afterKey = batch.at(-1)?.fileKey ?? '';
      if (batch.length < FILES_PER_QUERY) break;
    }
    if (files !== objectCount) throw new BackupError('it has bytes of files that its database does not list');
    return { files, bytes };
  } finally {
    database.close();
  }
}

/** After all files were written: then most are on the disk already, and syncing each one costs little. */
async function syncAll(folder: string, signal: AbortSignal): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  const sync = async (entry: Dirent) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'lost+found') await syncAll(path, signal);
    else if (entry.isFile()) await syncFile(path);
  };
  for (let next = 0; next < entries.length; next += SYNCED_AT_ONCE) {
    signal.throwIfAborted();
    await Promise.all(entries.slice(next, next + SYNCED_AT_ONCE).map(sync));
  }
  await syncFolder(folder);
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Only of a folder in which a restore was going on. The database goes last: it forbids a start. */
async function removeRemains({ root, objects, secret, restoring }: DataPaths): Promise<void> {
  if (!existsSync(restoring)) return;
  for (const name of await namesIn(objects)) await rm(join(objects, name), { recursive: true, force: true });
  await rm(secret, { force: true });
  await syncFolder(root);
  await rm(restoring);
}

const orNotWritable = (root: string) => (cause: unknown) => {
  if (cause instanceof BackupError || !(cause instanceof Error && 'syscall' in cause)) throw cause;
  const code = reasonOf(cause);
  const advice = code === 'ENOSPC' || code === 'EDQUOT' ? ': its disk is full' : '';
  throw new BackupError(`DATA_DIR ${root} cannot be written (${code})${advice}`, { cause });
};
