// The folder that keeps everything: made and tried at start, with the secret that signs tokens and URLs.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, constants, link, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
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

/** The secret is the one given, or the folder's own. `keepsBytes` where the files themselves are kept there too. */
export async function openDataFolder(path: string, givenSecret?: string, keepsBytes = true): Promise<DataFolder> {
  const { root, database, objects } = dataPaths(path);
  try {
    // For its owner alone: the database has the names of files.
    await mkdir(keepsBytes ? objects : root, { recursive: true, mode: 0o700 });
    await access(root, constants.W_OK);
    if (keepsBytes) await assertSameDisk(database, objects);
    return {
      database,
      objects,
      secret: givenSecret === undefined ? await secretIn(root) : Buffer.from(givenSecret),
    };
  } catch (cause) {
    if (cause instanceof StartError) throw cause;
    throw new StartError(`DATA_DIR ${root} cannot be written (${(cause as NodeJS.ErrnoException).code ?? 'unknown'})`, {
      cause,
    });
  }
}

/**
 * A marker made together with the database tells an empty disk that is new from one that was not mounted: taking the latter
 * for the former would make every file look lost.
 */
async function assertSameDisk(database: string, objects: string): Promise<void> {
  const marker = join(objects, '.furoshiki');
  if (existsSync(database) && !existsSync(marker)) {
    throw new StartError(`${objects} is not the folder that the database knows: is its disk mounted?`);
  }
  // What it says is the store's to write.
  await writeFile(marker, '', { flag: 'a' });
}

async function secretIn(root: string): Promise<Uint8Array> {
  const path = join(root, 'secret');
  const draft = join(root, `secret.${process.pid}`);
  // Written whole under another name, then linked: two servers that start at once agree on the first one's secret.
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
