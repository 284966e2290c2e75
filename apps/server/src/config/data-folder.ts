// DATA_DIR: created and checked at start, with the secret that signs tokens and URLs.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, chmod, constants, link, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StartError } from './config.ts';

export interface DataFolder {
  database: string;
  objects: string;
  secret: Uint8Array;
}

export interface DataPaths {
  root: string;
  database: string;
  objects: string;
  secret: string;
}

export function dataPaths(path: string): DataPaths {
  const root = resolve(path);
  const inRoot = (name: string) => join(root, name);
  return { root, database: inRoot('furoshiki.db'), objects: inRoot('objects'), secret: inRoot('secret') };
}

/** Uses `givenSecret`, or else the secret in the folder. `keepsBytes` means that the folder also stores the files. */
export async function openDataFolder(path: string, givenSecret?: string, keepsBytes = true): Promise<DataFolder> {
  const { root, database, objects } = dataPaths(path);
  try {
    // Only the owner may read it: the database has the names of files.
    await mkdir(keepsBytes ? objects : root, { recursive: true, mode: 0o700 });
    await access(root, constants.W_OK);
    await hideFromOthers(database);
    if (keepsBytes) await assertSameDisk(database, objects);
    return {
      database,
      objects,
      secret: givenSecret === undefined ? await readOrCreateSecret(root) : Buffer.from(givenSecret),
    };
  } catch (cause) {
    if (cause instanceof StartError) throw cause;
    throw new StartError(`DATA_DIR ${root} cannot be written (${(cause as NodeJS.ErrnoException).code ?? 'unknown'})`, {
      cause,
    });
  }
}

/** The database and the files that SQLite keeps beside it. */
export const databaseFiles = (database: string): string[] => ['', '-wal', '-shm'].map((suffix) => database + suffix);

/** An older version created them with the umask of its environment. New ones get the mode of the database. */
async function hideFromOthers(database: string): Promise<void> {
  // A missing file needs nothing. The doctor reports one that belongs to another user.
  for (const file of databaseFiles(database)) await chmod(file, 0o600).catch(() => undefined);
}

/**
 * A marker file, created together with the database, distinguishes a new disk from one that is not mounted. Without it
 * every file on an unmounted disk would be taken for lost.
 */
async function assertSameDisk(database: string, objects: string): Promise<void> {
  const marker = join(objects, '.furoshiki');
  if (existsSync(database) && !existsSync(marker)) {
    throw new StartError(`${objects} is not the folder that the database knows: is its disk mounted?`);
  }
  // The object store writes its owner into this file later.
  await writeFile(marker, '', { flag: 'a' });
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
  const secret = Buffer.from(await readFile(path, 'utf8'), 'hex');
  if (secret.length !== 32) throw new StartError(`${path} is damaged: it must hold 64 hexadecimal digits`);
  return secret;
}
