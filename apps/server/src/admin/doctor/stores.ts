// Checks of the database and of the object store, with writes of their own.
import { stat } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { StartError } from '../../config/config.ts';
import { databaseFiles, inspectDataFolder } from '../../config/data-folder.ts';
import { adviceFor, reasonOf } from '../../diagnosis.ts';
import type { OpenedObjects } from '../../open-stores.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PartLocation } from '../../ports/object-store.ts';
import { assertOwnStore, factsOf } from '../../services/store-ownership.ts';
import type { Tools } from '../command.ts';
import { type Check, failed, ok, skipped, warning } from './check.ts';

/**
 * Checks that the database opens, is undamaged and accepts writes, and that no other user of the machine can read it.
 */
export const database: Check = {
  name: 'database',
  async run({ config, paths, inspectMetadata }) {
    const service = config.DATABASE_URL === undefined ? 'sqlite' : 'postgres';
    const isOurs = service === 'sqlite';
    const name = isOurs ? `the database ${paths.database}` : 'the database of DATABASE_URL';
    const inspected = await inspectMetadata();
    if (inspected === undefined || inspected.schema === 'empty')
      return failed(
        isOurs ? `there is no database in DATA_DIR ${paths.root}` : `${name} has no tables yet`,
        `set ${isOurs ? 'DATA_DIR' : 'DATABASE_URL'} as for the server, or start the server once: it creates ${isOurs ? 'one' : 'them'}`,
      );
    const { metadata } = inspected;
    if (metadata === undefined)
      return warning(
        `${name} is from an older version: the next start brings it up to date, and not back`,
        'back it up before (docs/OPERATING.md), then start the server, and run this again',
      );
    const damage = await metadata.findDamage().catch((error: unknown) => [reasonOf(error)]);
    if (damage.length > 0)
      return failed(
        `${name} is damaged (${damage[0] ?? ''})`,
        isOurs
          ? 'stop the server, keep a copy of the file, and restore the last back-up (docs/OPERATING.md)'
          : 'see its own log, and restore the last back-up if it cannot be repaired',
      );
    try {
      await metadata.tryWriting();
    } catch (error) {
      return failed(`${name} takes no writes (${reasonOf(error)})`, adviceFor(error, service, paths.root));
    }
    const readable = isOurs ? await readableByOthers(paths.database) : [];
    if (readable.length > 0)
      return failed(
        `other users of this machine may read ${readable.join(', ')}, and so the names of files`,
        `chmod 600 '${readable.join("' '")}', or start the server as the user who owns them: it does the same`,
      );
    return ok('opens, is whole, and takes writes');
  },
};

async function readableByOthers(path: string): Promise<string[]> {
  const modes = await Promise.all(
    databaseFiles(path).map(async (file) => ({ file, mode: (await stat(file).catch(() => undefined))?.mode ?? 0 })),
  );
  return modes.filter(({ mode }) => (mode & 0o077) !== 0).map(({ file }) => file);
}

const LENGTH = 100_000;

/** What the start creates if the folder is missing. */
const EMPTY_STORE = { readOwner: () => Promise.resolve(undefined), listKeys: () => Promise.resolve([]) };

/**
 * Checks that the store belongs to the database, and that a file can be stored, read back and deleted, as the server
 * does it.
 */
export const storage: Check = {
  name: 'storage',
  async run(tools) {
    const { config, paths, clock, openObjects } = tools;
    const isOnDisk = config.S3_BUCKET === undefined;
    // The store would create the folder, and so hide a wrong DATA_DIR.
    if (isOnDisk && !existsSync(paths.root)) return skipped('there is no data folder');
    if (isOnDisk) await inspectDataFolder(paths.root, true);
    const owner = isOnDisk ? await foreignOwner(paths.root) : undefined;
    // The folders that root would create for the file could not be used by the server.
    if (owner !== undefined)
      return skipped(`not tried as root, because ${paths.root} belongs to user ${owner}: run this as that user`);
    const store = await openObjects();
    await assertOwned(tools);
    const { objects, storeName } = store;
    const key = randomBytes(16).toString('base64url');
    const bytes = randomBytes(LENGTH);
    let step = '';
    try {
      await storeFile({ ...store, clock }, key, bytes, (name) => (step = name));
      step = 'read the file back';
      const read = await buffer(objects.read(key, 0, LENGTH));
      if (!read.equals(bytes))
        return failed(
          'the bytes that were read differ from those written',
          'do not trust this disk: look for a hardware fault',
        );
      step = 'delete the file';
      await objects.delete(key);
    } catch (error) {
      throw new StartError(`cannot ${step} in ${storeName} (${reasonOf(error)})`, {
        cause: error,
        advice: adviceFor(error, isOnDisk ? 'disk' : 's3', paths.root),
      });
    } finally {
      await objects.purge(key).catch(() => undefined);
    }
    return ok('writes, completes, reads back and deletes');
  },
};

/** The user whose folder it is, if this process is root and the user is another one. */
async function foreignOwner(folder: string): Promise<number | undefined> {
  if (process.geteuid?.() !== 0) return undefined;
  const { uid } = await stat(folder);
  return uid === 0 ? undefined : uid;
}

/** Throws a StartError as the start does. Without a usable database, which has its own check, the owner is not known. */
async function assertOwned({ config, paths, inspectMetadata, openObjects }: Tools): Promise<void> {
  const inspected = await inspectMetadata().catch(() => 'unusable' as const);
  if (inspected === 'unusable' || inspected?.schema === 'older') return;
  const metadata = inspected?.metadata;
  const { objects, storeName } = await openObjects();
  const isMissing = config.S3_BUCKET === undefined && !existsSync(paths.objects);
  const store = { objects: isMissing ? EMPTY_STORE : objects, storeName };
  await assertOwnStore(config, metadata && (await factsOf(metadata)), store);
}

const PART_TIMEOUT_MS = 10_000;

/** A store, and the clock for its signed URLs. */
export interface TriedStore extends Pick<OpenedObjects, 'objects' | 'served'> {
  clock: Clock;
}

/**
 * Stores a small file, through the same store as the server's, for the checks. Calls `onStep` with the name of each
 * step before it.
 */
export async function storeFile(
  store: TriedStore,
  key: string,
  bytes: Buffer<ArrayBuffer>,
  onStep: (step: string) => void = () => undefined,
): Promise<void> {
  const { objects } = store;
  const { length } = bytes;
  onStep('open an upload');
  const upload = { key, uploadId: await objects.createUpload(key) };
  onStep('write a part');
  const etag = await writePart(store, { ...upload, partNumber: 1, offset: 0, length }, bytes);
  onStep('complete the upload');
  await objects.completeUpload(upload, [{ partNumber: 1, etag, length }]);
}

/** Sends the bytes as the server does, or, for a remote store, as a browser does. */
async function writePart(
  { served, objects, clock }: TriedStore,
  part: PartLocation,
  bytes: Buffer<ArrayBuffer>,
): Promise<string> {
  if (served) return served.writePart(part, Readable.from([bytes]));
  const url = await objects.signPartUrl({ ...part, siteUrl: '', expiresAtMs: clock.nowMs() + PART_TIMEOUT_MS });
  const response = await fetch(url, { method: 'PUT', body: bytes, signal: AbortSignal.timeout(PART_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.headers.get('etag') ?? '';
}
