// DATA_DIR: created, checked and locked at start, with the secret that signs tokens and URLs.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  access,
  chmod,
  chown,
  constants,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { adviceFor, ownerAdvice, reasonOf } from '../diagnosis.ts';
import { StartError } from './config.ts';

export interface DataPaths {
  root: string;
  database: string;
  objects: string;
  secret: string;
  /** An empty file beside a database that has never had a store. */
  unclaimed: string;
  /** Locked by the server, or by a restore. */
  lock: string;
  /** The database of a restore that is not complete. */
  restoring: string;
  /** Files of a backup that is being made. */
  backup: string;
  /** Locked while a backup is made. */
  backupLock: string;
}

export interface DataFolder extends Pick<DataPaths, 'database' | 'objects' | 'unclaimed'> {
  secret: Uint8Array;
}

/** What this machine stores, and not a service elsewhere. */
export interface Kept {
  bytes: boolean;
  database: boolean;
}

export function dataPaths(path: string): DataPaths {
  const root = resolve(path);
  const inRoot = (name: string) => join(root, name);
  return {
    root,
    database: inRoot('furoshiki.db'),
    objects: inRoot('objects'),
    secret: inRoot('secret'),
    unclaimed: inRoot('furoshiki.db-unclaimed'),
    lock: inRoot('furoshiki.lock'),
    restoring: inRoot('furoshiki.db-restoring'),
    backup: inRoot('furoshiki.backup'),
    backupLock: inRoot('furoshiki.backup-lock'),
  };
}

/** A second longer than a server needs to finish its requests, so that a new one can be started while the old one stops. */
export const LOCK_WAIT_MS = 10_000;

export interface Waiting {
  waitMs: number;
  /** Called with one line for the operator, if the lock is not free. */
  onWait?: ((text: string) => void) | undefined;
}

/** Makes this process the only server on the folder. Throws a StartError if another one stays longer than `waitMs`. */
export async function lockDataFolder(path: string, kept: Kept, { waitMs, onWait }: Waiting): Promise<HeldLock> {
  const { root, lock } = dataPaths(path);
  await inspectDataFolder(path, kept.bytes);
  return orNotWritable(root, `DATA_DIR ${root}`, async () => {
    await mkdir(root, { recursive: true, mode: 0o700 });
    await createLockFile(root, lock);
    const seconds = waitMs / 1000;
    const held = await lockWithin(lock, waitMs, () =>
      onWait?.(`another server uses DATA_DIR ${root}: waiting up to ${seconds} s for it to stop`),
    );
    if (!held) throw new StartError(`another server uses DATA_DIR ${root}`, { advice: LOCKED_ADVICE });
    return held;
  });
}

export const LOCKED_ADVICE = 'stop it, or give each server a DATA_DIR of its own; `lslocks` shows its process';

/** A backup that was killed leaves a copy of the database, with the names of files that may be deleted by now. */
export async function removeAbandonedBackup(path: string): Promise<void> {
  const { backup, backupLock } = dataPaths(path);
  const lock = existsSync(backup) ? tryToLock(backupLock) : undefined;
  if (!lock) return;
  await rm(backup, { recursive: true, force: true });
  lock.release();
}

/** SQLite could create it too, but would not say why it cannot. Root gives it to the user whose server will need it. */
export async function createLockFile(root: string, lock: string): Promise<void> {
  if (existsSync(lock)) return;
  await writeFile(lock, '', { flag: 'a', mode: 0o600 });
  await giveToOwnerOf(root, lock);
}

/** What root creates in the folder of another user would lock that user out. */
export async function giveToOwnerOf(folder: string, path: string): Promise<void> {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  if (uid !== 0) await chown(path, uid, gid);
}

/** Uses `givenSecret`, or else the secret in the folder. */
export async function openDataFolder(
  path: string,
  givenSecret?: string,
  kept: Kept = { bytes: true, database: true },
): Promise<DataFolder> {
  const { root, database, objects, unclaimed } = dataPaths(path);
  return orNotWritable(root, `DATA_DIR ${root}`, async () => {
    await inspectDataFolder(path, kept.bytes);
    // Only the owner may read it: the database has the names of files.
    await mkdir(kept.bytes ? objects : root, { recursive: true, mode: 0o700 });
    await hideFromOthers(database);
    if (kept.database && !existsSync(database)) await writeFile(unclaimed, '');
    // The object store writes its owner into this file later.
    if (kept.bytes) await writeFile(markerIn(objects), '', { flag: 'a' });
    const secret = givenSecret === undefined ? await readOrCreateSecret(root) : Buffer.from(givenSecret);
    return { database, objects, unclaimed, secret };
  });
}

/** Throws a StartError if the folder can neither be used nor created. It changes nothing. */
export async function inspectDataFolder(path: string, keepsBytes: boolean): Promise<void> {
  const { root, objects, database, unclaimed, lock, restoring } = dataPaths(path);
  await orNotWritable(root, `DATA_DIR ${root}`, () => accessFolder(root));
  if (existsSync(lock)) await orNotWritable(root, lock, () => accessFile(lock));
  if (existsSync(restoring))
    throw new StartError(`a restore into DATA_DIR ${root} is under way or did not finish`, {
      advice: 'if none is running, run `restore` again: it begins from the start',
    });
  if (!keepsBytes) return;
  await orNotWritable(root, objects, () => assertVisible(objects));
  const marker = markerIn(objects);
  // A marker file, created together with the database, distinguishes a new disk from one that is not mounted. Without it
  // every file on an unmounted disk would be taken for lost.
  if (existsSync(database) && !existsSync(unclaimed) && !existsSync(marker))
    throw new StartError(`${objects} is not the folder that the database knows: is its disk mounted?`);
  await orNotWritable(root, objects, () => accessFolder(objects));
  if (existsSync(marker)) await orNotWritable(root, marker, () => accessFile(marker));
}

/**
 * Throws a StartError if the server could not store anything in a folder below `objects`: an admin command that ran as root may
 * have created it. There are 4,096 at most.
 */
export async function inspectObjectFolders(path: string): Promise<void> {
  const { root, objects } = dataPaths(path);
  const entries = existsSync(objects) ? await readdir(objects, { withFileTypes: true }) : [];
  for (const { name } of entries.filter((entry) => entry.isDirectory() && OBJECT_FOLDER.test(entry.name)))
    await orNotWritable(root, join(objects, name), () => accessFolder(join(objects, name)));
}

/** Others, such as `lost+found`, are not ours. */
const OBJECT_FOLDER = /^[\w-]{2}$/u;

/** A folder that may not be entered would seem empty, as if its disk were not mounted. */
async function assertVisible(path: string): Promise<void> {
  await access(`${path}/.`, constants.X_OK).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EACCES') throw error;
  });
}

const accessFile = (path: string) => access(path, constants.R_OK | constants.W_OK);

/** Throws if a folder, or the nearest one above it that exists, cannot be written. */
async function accessFolder(path: string): Promise<void> {
  if (!existsSync(path)) return accessFolder(dirname(path));
  // The dot makes it an error if it is a file.
  await access(`${path}/.`, constants.R_OK | constants.W_OK | constants.X_OK);
}

/** Names the database that owns the objects. An older version left it empty. */
export const markerIn = (objects: string) => join(objects, '.furoshiki');

async function orNotWritable<T>(root: string, name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof StartError) throw cause;
    const advice = adviceFor(cause, 'disk', root);
    throw new StartError(`${name} cannot be written (${reasonOf(cause)})`, { cause, advice });
  }
}

/** The database and the files that SQLite keeps beside it. */
export const databaseFiles = (database: string): string[] => ['', '-wal', '-shm'].map((suffix) => database + suffix);

/** An older version created them with the umask of its environment. New ones get the mode of the database. */
async function hideFromOthers(database: string): Promise<void> {
  // A missing file needs nothing. The doctor reports one that belongs to another user.
  for (const file of databaseFiles(database)) await chmod(file, 0o600).catch(() => undefined);
}

async function readOrCreateSecret(root: string): Promise<Uint8Array> {
  const path = join(root, 'secret');
  const draft = join(root, `secret.${process.pid}`);
  // Written completely under another name, then linked: two servers that start together use the secret of the first.
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(randomBytes(32).toString('hex'));
    await file.sync();
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
  return readSecret(path);
}

export async function readSecret(path: string): Promise<Uint8Array> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const options = cause.code === 'EACCES' ? { cause, advice: ownerAdvice(dirname(path)) } : { cause };
    throw new StartError(`${path} cannot be read (${cause.code ?? 'unknown'})`, options);
  });
  const secret = Buffer.from(text, 'hex');
  if (secret.length !== 32) throw new StartError(`${path} is damaged: it must hold 64 hexadecimal digits`);
  return secret;
}

interface HeldLock {
  release(): void;
}

const SQLITE_BUSY = 5;
const RETRY_MS = 50;

/**
 * Returns undefined if another process holds the lock.
 *
 * Node has no lock for files, and a file with a process id would outlive a crash. SQLite locks with fcntl: the kernel releases
 * the lock when the process ends, in whatever way, and all containers of a machine share it. The file stays empty, because
 * nothing is ever written to this database, and with its journal in memory no other file can be left behind.
 *
 * This process must not open the file in any other way: closing it would release the lock.
 */
export function tryToLock(path: string): HeldLock | undefined {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
  return { release: () => database.close() };
}

/** Waits for the lock if another process holds it. `onWait` is called before that. */
async function lockWithin(path: string, waitMs: number, onWait?: () => void): Promise<HeldLock | undefined> {
  const first = tryToLock(path);
  if (first) return first;
  if (waitMs > 0) onWait?.();
  for (let waitedMs = 0; waitedMs < waitMs; waitedMs += RETRY_MS) {
    await setTimeout(RETRY_MS);
    const held = tryToLock(path);
    if (held) return held;
  }
  return undefined;
}
