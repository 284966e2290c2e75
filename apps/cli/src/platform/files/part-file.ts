// Files that are received: each is `name.part` beside its final name, with a checkpoint in the state folder. It gets its
// final name only when it is complete. A folder is received as an archive, restored beside it, and gets its name after that.
import { existsSync, statSync } from 'node:fs';
import { type FileHandle, link, lstat, mkdtemp, open, readdir, realpath, rename, rm, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Failure } from '@furoshiki/api';
import { type FolderFacts, FormatError, MB, shownName } from '@furoshiki/format';
import type { Destination, FileSink, FileToSave } from '@furoshiki/transfer';
import { CliError } from '../../errors.ts';
import { giveBack } from '../parts/buffers.ts';
import { acquireLock, createTextFiles, digestOf } from '../state/folders.ts';
import { createPlaces, type Place, SUFFIX } from './places.ts';
import { type LinkLeftOut, restoreFolder } from './restore-folder.ts';

/** After a crash these are received again. To wait for each sync would make a download a fifth slower. */
const MAX_UNSYNCED_BYTES = 75 * MB;

interface SaveOptions {
  /** Nothing is written outside of it. */
  folder: string;
  /** Replaces a file of the same name. */
  force: boolean;
  /** Where checkpoints are kept. */
  checkpoints: string;
  /** The same if a later command receives the same page. */
  page: string;
  folders?: RestoreOptions;
}

interface RestoreOptions {
  /** Whether the user wants the links in folders. */
  makesLinks: boolean;
  onProgress(): void;
  /** `path`: that of the folder. */
  onLeftOut(path: string, links: readonly LinkLeftOut[]): void;
}

const NO_LINKS: RestoreOptions = { makesLinks: false, onProgress: () => {}, onLeftOut: () => {} };

export interface ReceivedFiles {
  /** `path` is relative to the folder, as everywhere here. */
  destinationOf(file: FileToSave, path: string): Destination;
  /** Whether an earlier run that did not end well has saved all of this file, and it has not been changed since. */
  isSaved(file: Pick<FileToSave, 'resumable'>, path: string): Promise<boolean>;
  /** Ends what `isSaved` remembers. */
  forget(paths: readonly string[]): Promise<void>;
  /** Removes folders that were made in vain. Returns the incomplete files of these paths that are kept, as paths too. */
  kept(paths: readonly string[]): Promise<string[]>;
}

/** `paths` are those of all files that are received. */
export function createReceivedFiles(
  { folder, force, checkpoints: checkpointFolder, page, folders = NO_LINKS }: SaveOptions,
  paths: readonly string[],
): ReceivedFiles {
  const checkpoints = createCheckpoints(checkpointFolder, page);
  const places = createPlaces(folder, paths);
  const find = (path: string) => places.find(path).catch(() => undefined);

  checkpoints.removeStale();
  return {
    destinationOf: (file, path) => ({
      async open() {
        const place = await orSaveFailed(path, places.make(path));
        return openPart(file, place, checkpoints, { force, folders });
      },
    }),
    async isSaved({ resumable }, path) {
      const place = await find(path);
      if (!place || !resumable) return false;
      const known = checkpoints.read(place.final);
      if (known?.completeMs === undefined || known.identity !== digestOf(resumable.identity)) return false;
      const facts = await lstat(place.final).catch(() => undefined);
      if (facts?.ino !== (known.folderInode ?? known.inode) || facts.mtimeMs !== known.completeMs) return false;
      await removeSecondName(place, known.inode);
      return true;
    },
    async forget(saved) {
      for (const path of saved) {
        const place = await find(path);
        if (place) checkpoints.remove(place.final);
      }
    },
    async kept(wanted) {
      await places.removeEmpty();
      const kept: string[] = [];
      for (const path of wanted) {
        const place = await find(path);
        const facts = place && (await lstat(place.part).catch(() => undefined));
        if (facts?.isFile() && facts.ino === checkpoints.read(place?.final ?? '')?.inode)
          kept.push(join(dirname(path), basename(place?.part ?? '')));
      }
      return kept;
    },
  };
}

/**
 * Removes the incomplete files of a page that nothing can complete, and returns their paths. `own`: the folder of the page. What a
 * sender has put into other folders is not found, because looking through all of them could take long.
 */
export async function removeUseless(
  { folder, checkpoints: checkpointFolder, page }: Omit<SaveOptions, 'force' | 'folders'>,
  own: string | undefined,
  canBeCompleted: (path: string) => boolean = () => false,
): Promise<string[]> {
  const checkpoints = createCheckpoints(checkpointFolder, page);
  // The user may have removed it meanwhile.
  const root = await realpath(folder).catch(() => folder);
  const below = own === undefined ? [] : await readdir(join(root, own), { recursive: true }).catch(() => []);
  const names = [...(await readdir(root).catch(() => [])), ...below.map((name) => join(own ?? '', name))];
  const removed: string[] = [];
  for (const name of names.filter((path) => path.endsWith(SUFFIX))) {
    const facts = await lstat(join(root, name)).catch(() => undefined);
    if (!facts?.isFile()) continue;
    // The name of an incomplete file may have the suffix twice.
    for (let path = name; path.endsWith(SUFFIX); ) {
      path = path.slice(0, -SUFFIX.length);
      const final = join(root, path);
      const checkpoint = checkpoints.read(final);
      const isOurs = checkpoint?.inode === facts.ino && checkpoint.page === digestOf(page);
      const release = isOurs && !canBeCompleted(path) ? acquireLock(checkpoints.lockOf(final)) : undefined;
      if (!release) continue;
      await rm(join(root, name));
      checkpoints.remove(final);
      release();
      removed.push(name);
    }
  }
  return removed;
}

/** A process that was killed while the file got its final name has left both names. */
async function removeSecondName({ part }: Place, inode: number): Promise<void> {
  const facts = await lstat(part).catch(() => undefined);
  if (facts?.ino === inode) await rm(part);
}

async function openPart(
  file: FileToSave,
  place: Place,
  checkpoints: Checkpoints,
  { force, folders }: { force: boolean; folders: RestoreOptions },
): Promise<FileSink> {
  const { path, final, part } = place;
  const release = acquireLock(checkpoints.lockOf(final));
  if (!release) throw new CliError('receive.busy', { name: shownName(path) });
  try {
    const before = checkpoints.read(final);
    const identity = file.resumable ? digestOf(file.resumable.identity) : '';
    // Of a process that was killed while it restored the folder.
    if (before?.scratch) await rm(join(dirname(final), basename(before.scratch)), { recursive: true, force: true });
    const startsAt = await resumePoint(part, file, before, identity);
    const handle = await orSaveFailed(path, startsAt > 0 ? open(part, 'r+') : create(place, before, force));
    if (startsAt > 0) await handle.truncate(startsAt);
    const { ino: inode } = await handle.stat();
    if (startsAt === 0) await checkpoints.write(final, { identity, bytes: 0, inode });
    const { fileSize, modifiedAt, executable = false, folder } = file;
    const facts = { startsAt, fileSize, modifiedAt, executable, folder };
    return createSink({ handle, place, ...facts, force, folders, checkpoints, identity, inode, release });
  } catch (error) {
    release();
    throw error;
  }
}

/** Returns how many bytes of an earlier run can be used: whole chunks, or all. */
async function resumePoint(
  part: string,
  { fileSize, chunkSize }: FileToSave,
  checkpoint: Checkpoint | undefined,
  identity: string,
): Promise<number> {
  if (!checkpoint || identity === '' || checkpoint.identity !== identity) return 0;
  const { bytes, inode } = checkpoint;
  const facts = await lstat(part).catch(() => undefined);
  // With a second name it may be a complete file, which must not be changed.
  if (!facts?.isFile() || facts.ino !== inode || facts.nlink > 1) return 0;
  const isWhole = bytes === fileSize || (bytes < fileSize && bytes % chunkSize === 0);
  return isWhole && facts.size >= bytes ? bytes : 0;
}

/** Replaces what an earlier run has left, but not a file of another program. */
async function create({ part, path }: Place, before: Checkpoint | undefined, force: boolean): Promise<FileHandle> {
  const facts = await lstat(part).catch(() => undefined);
  const isOurs = facts?.isFile() && (facts.ino === before?.inode || facts.size === 0);
  if (facts && !isOurs && !force)
    throw new CliError('receive.exists', { name: shownName(join(dirname(path), basename(part))) });
  if (facts) await rm(part, { force: true });
  return open(part, 'wx', 0o600);
}

interface OpenPart {
  handle: FileHandle;
  place: Place;
  startsAt: number;
  fileSize: number;
  modifiedAt: number | undefined;
  executable: boolean;
  folder: FolderFacts | undefined;
  force: boolean;
  folders: RestoreOptions;
  checkpoints: Checkpoints;
  identity: string;
  inode: number;
  release: () => void;
}

function createSink(opened: OpenPart): FileSink {
  const { handle, place, startsAt, fileSize, modifiedAt, executable, folder } = opened;
  const { force, checkpoints, identity, inode, release } = opened;
  const { path, final, part } = place;
  let written = startsAt;
  let synced = startsAt;
  let syncing: Promise<void> | undefined;

  /** One sync at a time, beside the writing. What was written before it began is then safe. */
  async function sync(): Promise<void> {
    const bytes = written;
    await handle.datasync();
    synced = bytes;
    await checkpoints.write(final, { identity, bytes, inode });
  }

  async function close(): Promise<void> {
    await syncing;
    await handle.close();
  }

  async function discard(): Promise<void> {
    await close();
    await rm(part, { force: true });
    checkpoints.remove(final);
    release();
  }

  async function giveFinalName(): Promise<void> {
    if (force) return rename(part, final);
    try {
      // Unlike a rename, a link never replaces a file that has appeared in the meantime.
      await link(part, final);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST' || existsSync(final)) throw Object.assign(new Error('it exists'), { code: 'EEXIST' });
      // The file system has no hard links.
      return rename(part, final);
    }
    await unlink(part);
  }

  return {
    startsAt,
    async write(bytes) {
      if (written - synced >= MAX_UNSYNCED_BYTES) await syncing;
      await orSaveFailed(path, writeAll(handle, bytes, written));
      written += bytes.length;
      giveBack(bytes.buffer);
      // The end of the file is synced with its final name.
      if (written >= fileSize) return;
      syncing ??= sync()
        .catch(() => undefined)
        .finally(() => void (syncing = undefined));
    },
    async finish() {
      await syncing;
      if (folder) {
        await handle.close();
        await orSaveFailed(path, restore(folder, opened));
        return release();
      }
      // A time or a mode that the file system cannot store is not worth a failure.
      if (modifiedAt !== undefined) await handle.utimes(new Date(), modifiedAt).catch(() => undefined);
      if (executable) await handle.chmod(0o700).catch(() => undefined);
      await orSaveFailed(path, handle.sync());
      const { mtimeMs } = await handle.stat();
      await checkpoints.write(final, { identity, bytes: written, inode, completeMs: mtimeMs });
      await handle.close();
      await orSaveFailed(path, giveFinalName());
      release();
    },
    async suspend() {
      // Nothing could continue it.
      if (written === 0 || identity === '') return discard();
      await syncing;
      await sync().catch(() => undefined);
      await close();
      release();
    },
    discard,
  };
}

/** Restores a folder from its complete archive, and removes the archive. */
async function restore(
  facts: FolderFacts,
  { place: { path, final, part }, folders, checkpoints, identity, inode, fileSize }: OpenPart,
): Promise<void> {
  // Beside its place, so that a rename is enough. A stranger chooses names with up to 255 bytes, so it has one of its own.
  const scratch = await mkdtemp(join(dirname(final), '.furoshiki-'));
  const checkpoint = { identity, bytes: fileSize, inode };
  const exists = () => new CliError('receive.folderExists', { name: shownName(path) });
  try {
    if (existsSync(final)) throw exists();
    await checkpoints.write(final, { ...checkpoint, scratch: basename(scratch) });
    const { makesLinks, onProgress } = folders;
    const leftOut = await restoreFolder({ archive: part, facts, into: scratch, makesLinks, onProgress });
    const { ino: folderInode, mtimeMs: completeMs } = await lstat(scratch);
    await checkpoints.write(final, { ...checkpoint, folderInode, completeMs });
    if (existsSync(final)) throw exists();
    await rename(scratch, final);
    await unlink(part);
    folders.onLeftOut(path, leftOut);
  } catch (error) {
    await rm(scratch, { recursive: true, force: true }).catch(() => undefined);
    if (error instanceof FormatError) throw new CliError('receive.folderInvalid', { name: shownName(path) });
    throw error;
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}

async function orSaveFailed<T>(path: string, saving: Promise<T>): Promise<T> {
  try {
    return await saving;
  } catch (cause) {
    if (cause instanceof CliError) throw new Failure('SAVE_FAILED', {}, { cause });
    const { code = '' } = cause as NodeJS.ErrnoException;
    const name = shownName(path);
    const text = code === 'EEXIST' ? 'receive.exists' : code === 'ENOSPC' ? 'receive.noSpace' : 'receive.notSaved';
    throw new Failure('SAVE_FAILED', {}, { cause: new CliError(text, { name, code }) });
  }
}

/** Longer than a server keeps files. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** What is known about a file that is being received: one small text in the state folder. */
interface Checkpoint {
  /** A digest: it says nothing about the file. Empty if the file cannot be continued. */
  identity: string;
  /** Synced to the disk. */
  bytes: number;
  /** The number of the file in its file system. Its name alone does not say that it is ours. */
  inode: number;
  /** A digest of the page, which is known without a key. Older versions did not write it. */
  page?: string | undefined;
  /** The number of a folder that was restored. `inode` is that of its archive. */
  folderInode?: number | undefined;
  /** The name of the folder beside it in which it is being restored. */
  scratch?: string | undefined;
  /** Set if the file is complete. It then has its final name, or is about to get it. */
  completeMs?: number | undefined;
}

interface Checkpoints {
  /** `path` is that of the complete file. */
  read(path: string): Checkpoint | undefined;
  /** Never rejects: a full disk makes it impossible to continue later, but not impossible to receive. */
  write(path: string, checkpoint: Checkpoint): Promise<void>;
  remove(path: string): void;
  lockOf(path: string): string;
  removeStale(): void;
}

function createCheckpoints(folder: string, page: string): Checkpoints {
  const texts = createTextFiles(folder);
  return {
    read(path) {
      try {
        const checkpoint = JSON.parse(texts.getItem(digestOf(path)) ?? '') as Checkpoint;
        const isValid = typeof checkpoint.identity === 'string' && Number.isSafeInteger(checkpoint.bytes);
        return isValid ? checkpoint : undefined;
      } catch {
        return undefined;
      }
    },
    write: (path, checkpoint) =>
      texts.write(digestOf(path), JSON.stringify({ ...checkpoint, page: digestOf(page) })).catch(() => undefined),
    remove: (path) => texts.removeItem(digestOf(path)),
    lockOf: (path) => join(folder, `.${digestOf(path)}.lock`),
    removeStale() {
      for (const name of texts.list()) {
        const writtenAtMs = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
        if (Date.now() - writtenAtMs > KEPT_MS) texts.removeItem(name);
      }
    },
  };
}
