// Objects on the local disk. Parts are written at their offset into one file, so completing an upload copies nothing.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, open, readdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { Failure } from '@furoshiki/api';
import { type PartLocation, removeEach, sameParts, type ServedStore } from '../../ports/object-store.ts';
import { aroundCalls } from '../../ports/store-failures.ts';
import { type Signer, signPartPath, signReadPath } from '../../signing.ts';
import { syncFolder } from '../../sync-folder.ts';
import { diskFailureOf, errorCodeOf, orNotFound, readFrom, writeAt } from './file-io.ts';
import { KEY, KEY_PREFIX, pathsOf } from './object-files.ts';
import { appendToJournal, COMPLETED, readJournal, withdrawPart } from './part-journal.ts';

/** Names the database that owns this store. An older version left it empty. */
const OWNER_FILE = '.furoshiki';
const EPOCH_FILE = '.furoshiki-epoch';

/** Of common file systems. */
const BLOCK_BYTES = 4096;
const FOLDER_AND_JOURNAL_BYTES = 2 * BLOCK_BYTES;

export function createDiskStore(root: string, signer: Signer): ServedStore {
  const folderOf = (key: string) => join(root, pathsOf(key).folder);
  const dataOf = (key: string) => join(root, pathsOf(key).data);
  const journalOf = (key: string) => join(root, pathsOf(key).journal);
  const [ownerFile, epochFile] = [join(root, OWNER_FILE), join(root, EPOCH_FILE)];
  /** Files written to an empty mount point would be hidden once the disk is mounted again. */
  const assertMounted = () => access(ownerFile);
  /** A key's lock guards its journal and its removal. The lock of a key and a part guards the writing of that part. */
  const locked = createLocks();
  const remove = (key: string) => locked(key, () => rm(folderOf(key), { recursive: true, force: true }));
  /** The newest request body for each part. */
  const newestBody = new Map<string, Readable>();
  /** How many parts of each key are being written. */
  const writing = new Map<string, number>();

  async function beginPart(key: string, partNumber: number): Promise<void> {
    const journal = await readJournal(journalOf(key));
    if (journal.completed) throw new Failure('UPLOAD_CLOSED');
    // Overwriting destroys an acknowledged part, so its journal entry is withdrawn first.
    if (journal.parts.has(partNumber)) await withdrawPart(journalOf(key), journal, partNumber);
    writing.set(key, (writing.get(key) ?? 0) + 1);
  }

  function endPart(key: string): void {
    const remaining = (writing.get(key) ?? 1) - 1;
    if (remaining === 0) writing.delete(key);
    else writing.set(key, remaining);
  }

  async function receivePart({ key, partNumber, offset, length }: PartLocation, body: Readable): Promise<string> {
    await locked(key, () => beginPart(key, partNumber));
    try {
      await writeAt(dataOf(key), offset, length, body);
      // An ETag only has to identify this write. A hash of the bytes would take longer than receiving them.
      const etag = `"${randomBytes(16).toString('hex')}"`;
      await locked(key, () => appendToJournal(journalOf(key), { part: { partNumber, etag, length } }));
      return etag;
    } finally {
      endPart(key);
    }
  }

  const store: ServedStore = {
    async createUpload(key) {
      await assertMounted();
      const folder = folderOf(key);
      await createFiles(folder, [dataOf(key), journalOf(key)]);
      for (const path of [folder, dirname(folder), root]) await syncFolder(path);
      return randomBytes(16).toString('base64url');
    },

    signPartUrl: async ({ siteUrl, expiresAtMs, ...part }) => siteUrl + signPartPath(signer, part, expiresAtMs),

    async writePart(part, body) {
      const slot = `${part.key}/${part.partNumber}`;
      // A client that sends a part again has given up the old connection, even if we have not noticed yet.
      newestBody.get(slot)?.destroy();
      newestBody.set(slot, body);
      try {
        return await locked(slot, () => receivePart(part, body));
      } finally {
        if (newestBody.get(slot) === body) newestBody.delete(slot);
      }
    },

    async listParts({ key }) {
      const { parts } = await readJournal(journalOf(key));
      return [...parts.values()].toSorted((a, b) => a.partNumber - b.partNumber);
    },

    async hasPart({ key }, { partNumber, etag }) {
      return (await readJournal(journalOf(key))).parts.get(partNumber)?.etag === etag;
    },

    completeUpload: ({ key }, parts) =>
      locked(key, async () => {
        const journal = await readJournal(journalOf(key));
        if (writing.has(key) || !sameParts([...journal.parts.values()], parts)) throw new Failure('PART_MISMATCH');
        if (!journal.completed) await appendToJournal(journalOf(key), COMPLETED);
      }),

    abortUpload: ({ key }) => remove(key),

    signReadUrl: async ({ siteUrl, expiresAtMs, ...object }) => siteUrl + signReadPath(signer, object, expiresAtMs),

    async sizeOf(key) {
      if (!(await readJournal(journalOf(key))).completed) throw new Failure('NOT_FOUND');
      return (await orNotFound(stat(dataOf(key)))).size;
    },

    read: (key, start, end) => readFrom(dataOf(key), start, end),

    delete: remove,

    purge: remove,
    deleteAll: (keys) => removeEach(keys, remove),
    purgeAll: (keys) => removeEach(keys, remove),

    async listKeys(afterKey, limit) {
      const keys: { key: string; createdAtMs: number }[] = [];
      const folders = (await namesIn(root, KEY_PREFIX)).filter((name) => name >= afterKey.slice(0, 2));
      for (const folder of folders) {
        const names = (await namesIn(join(root, folder), KEY)).filter((key) => key > afterKey);
        for (const key of names) {
          if (keys.length === limit) return keys;
          const createdAtMs = await birthtimeOf(folderOf(key));
          if (createdAtMs !== undefined) keys.push({ key, createdAtMs });
        }
      }
      return keys;
    },

    async ping() {
      await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
      await assertMounted();
    },

    async free() {
      const { bavail, bsize, files, ffree } = await statfs(root);
      // Some file systems have no fixed number of inodes, and report 0.
      return { bytes: bavail * bsize, inodes: files === 0 ? undefined : { free: ffree, total: files } };
    },

    takenBytes: (bytes) => Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES + FOLDER_AND_JOURNAL_BYTES,

    readOwner: () => textIn(ownerFile),
    writeOwner: (owner) => writeFile(ownerFile, owner),
    readEpoch: () => textIn(epochFile),
    // Never empty, also not for a moment: an empty one is none.
    async writeEpoch(epoch) {
      await writeFile(`${epochFile}-new`, epoch);
      await rename(`${epochFile}-new`, epochFile);
    },
  };
  return aroundCalls(store, { failed: diskFailureOf });
}

async function textIn(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')) || undefined;
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function createFiles(folder: string, paths: string[]): Promise<void> {
  // Not with `recursive`: Node then reports a read-only disk as a missing folder.
  for (const path of [dirname(folder), folder])
    await mkdir(path).catch((error: unknown) => {
      if (errorCodeOf(error) !== 'EEXIST') throw error;
    });
  for (const path of paths) await (await open(path, 'wx')).close();
}

/** Returns the names of the folders in a folder that match the pattern, sorted. */
async function namesIn(path: string, pattern: RegExp): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && pattern.test(entry.name))
    .map((entry) => entry.name)
    .toSorted();
}

/** Returns undefined if it was removed since it was listed. A damaged entry is never old enough to be removed. */
async function birthtimeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).birthtimeMs;
  } catch (error) {
    return errorCodeOf(error) === 'ENOENT' ? undefined : Number.POSITIVE_INFINITY;
  }
}

/** A mutex per name, first come, first served. */
function createLocks(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const previous = last.get(name);
    const mine = (previous ?? Promise.resolve()).then(work, work);
    last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (last.get(name) === mine) last.delete(name);
    }
  };
}
