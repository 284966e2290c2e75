// DATA_DIR: created and checked at start, with the secret that signs tokens and URLs.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, chmod, constants, link, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { adviceFor } from '../diagnosis/error-advice.ts';
import { reasonOf } from '../diagnosis/error-reason.ts';
import { StartError } from './config.ts';

export interface DataPaths {
  root: string;
  database: string;
  objects: string;
  secret: string;
  /** An empty file beside a database that has never had a store. */
  unclaimed: string;
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
  };
}

/** Uses `givenSecret`, or else the secret in the folder. */
export async function openDataFolder(
  path: string,
  givenSecret?: string,
  kept: Kept = { bytes: true, database: true },
): Promise<DataFolder> {
  const { root, database, objects, unclaimed } = dataPaths(path);
  return orNotWritable(`DATA_DIR ${root}`, async () => {
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
  const { root, objects, database, unclaimed } = dataPaths(path);
  await orNotWritable(`DATA_DIR ${root}`, () => accessFolder(root));
  if (!keepsBytes) return;
  const marker = markerIn(objects);
  // A marker file, created together with the database, distinguishes a new disk from one that is not mounted. Without it
  // every file on an unmounted disk would be taken for lost.
  if (existsSync(database) && !existsSync(unclaimed) && !existsSync(marker))
    throw new StartError(`${objects} is not the folder that the database knows: is its disk mounted?`);
  await orNotWritable(objects, () => accessFolder(objects));
  if (existsSync(marker)) await orNotWritable(marker, () => access(marker, constants.R_OK | constants.W_OK));
}

/** Throws if a folder, or the nearest one above it that exists, cannot be written. */
async function accessFolder(path: string): Promise<void> {
  if (!existsSync(path)) return accessFolder(dirname(path));
  // The dot makes it an error if it is a file.
  await access(`${path}/.`, constants.R_OK | constants.W_OK | constants.X_OK);
}

const markerIn = (objects: string) => join(objects, '.furoshiki');

async function orNotWritable<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof StartError) throw cause;
    throw new StartError(`${name} cannot be written (${reasonOf(cause)})`, { cause, advice: adviceFor(cause, 'disk') });
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
    throw new StartError(`${path} cannot be read (${cause.code ?? 'unknown'})`, { cause });
  });
  const secret = Buffer.from(text, 'hex');
  if (secret.length !== 32) throw new StartError(`${path} is damaged: it must hold 64 hexadecimal digits`);
  return secret;
}
