// Checks of the database and of the object store, with writes of their own, and of a bucket: who may use it, and what it keeps.
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
import type { PartLocation, RemoteStore } from '../../ports/object-store.ts';
import { assertOwnStore, factsOf } from '../../services/store-ownership.ts';
import type { Tools } from '../command.ts';
import { type Check, failed, ok, request, skipped, TIMEOUT_MS, warning } from './check.ts';

/** Of a million files, 600 MB, the check took 14 s. */
const MAX_READ_BYTES = 150_000_000;

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
    const { damage, unread } = await metadata
      .findDamage(MAX_READ_BYTES)
      .catch((error: unknown) => ({ damage: [reasonOf(error)], unread: [] }));
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
    if (unread.length > 0)
      return ok(
        `opens and takes writes; it is large, so not all of it was read: \`sqlite3 '${paths.database}' 'pragma quick_check'\` does`,
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
const EMPTY_STORE = {
  readOwner: () => Promise.resolve(undefined),
  readEpoch: () => Promise.resolve(undefined),
  listKeys: () => Promise.resolve([]),
};

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
interface TriedStore extends Pick<OpenedObjects, 'objects' | 'served'> {
  clock: Clock;
}

/**
 * Stores a small file, through the same store as the server's, for the checks. Calls `onStep` with the name of each
 * step before it.
 */
async function storeFile(
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

const REFUSALS = new Set([401, 403]);

/**
 * Checks that the store refuses requests without a signature: otherwise anyone could read and delete files without a
 * link.
 */
export const strangers: Check = {
  name: 'strangers',
  needs: 'storage',
  async run({ clock, openObjects }) {
    const store = { clock, ...(await openObjects()) };
    if (!store.objects.unsignedUrls) return skipped('not needed: only this server reads the disk');
    const addresses = store.objects.unsignedUrls('').length;
    const allowed: string[] = [];
    try {
      for (let index = 0; index < addresses; index += 1) allowed.push(...(await tryAddress(store, index)));
    } catch (error) {
      return skipped(`the store cannot be tried from here (${reasonOf(error)})`);
    }
    if (allowed.length === 0) return ok('the store refuses to list, read, write and delete without a signature');
    return failed(
      `the store does not refuse requests without a signature: ${allowed.join(', ')}. Anyone can fetch, replace or delete what users have stored`,
      'make the bucket private: remove public policies and ACLs, and switch on the authentication of the store',
    );
  },
};

/** Returns what one address of the bucket did not refuse. */
async function tryAddress(store: TriedStore, index: number): Promise<string[]> {
  const { objects } = store;
  const [key, newKey] = [newFileKey(), newFileKey()];
  const urlsOf = (name: string) => objects.unsignedUrls?.(name)[index] ?? { bucket: '', object: '' };
  const { bucket, object } = urlsOf(key);
  const requests = {
    list: ['GET', `${bucket}?list-type=2&max-keys=1`],
    read: ['GET', object],
    write: ['PUT', urlsOf(newKey).object],
    delete: ['DELETE', object],
  } as const;
  const allowed = [];
  try {
    // A file that exists: for a missing one, some stores respond alike to everyone.
    await storeFile(store, key, randomBytes(100));
    for (const [verb, [method, url]] of Object.entries(requests)) {
      const status = await statusOf(method, url);
      if (!REFUSALS.has(status)) allowed.push(`${verb} (status ${status}, ${new URL(bucket).origin})`);
    }
  } finally {
    for (const stored of [key, newKey]) await objects.purge(stored).catch(() => undefined);
  }
  return allowed;
}

const newFileKey = () => randomBytes(16).toString('base64url');

async function statusOf(method: string, url: string): Promise<number> {
  const body = method === 'PUT' ? { body: 'doctor' } : {};
  const response = await request(url, { method, ...body });
  await response.body?.cancel();
  return response.status;
}

const FIX = 'run `doctor --fix`, or set up CORS as docs/OPERATING.md shows';

/** Checks, with a CORS preflight like a browser's, that browsers may send parts directly to the storage. */
export const cors: Check = {
  name: 'CORS preflight',
  needs: 'storage',
  async run({ openObjects, config: { PUBLIC_ORIGIN: origin } }) {
    const { remote } = await openObjects();
    if (!remote) return skipped('not needed: bytes go through this server, under its own origin');
    if (origin === undefined)
      return failed(
        'PUBLIC_ORIGIN is not set, so it is unknown which pages the storage must allow',
        'set PUBLIC_ORIGIN',
      );
    try {
      const preflight = await requestPreflight(origin, await signedUrl(remote));
      const allowed = preflight.headers.get('access-control-allow-origin');
      if (allowed === origin || allowed === '*') return ok(`${remote.origin} lets pages of ${origin} in`);
      return failed(`${remote.origin} does not let pages of ${origin} send files (${preflight.status})`, FIX);
    } catch (error) {
      return failed(
        `${remote.origin} cannot be reached from here (${reasonOf(error)})`,
        'set S3_PUBLIC_ENDPOINT to where browsers reach the storage, or S3_PROXY=true if they cannot',
      );
    }
  },

  async fix({ openObjects, config: { PUBLIC_ORIGIN: origin } }) {
    if (origin !== undefined) await (await openObjects()).remote?.allowBrowsers(origin);
  },
};

async function signedUrl(remote: RemoteStore): Promise<string> {
  const part = { key: 'doctor', uploadId: 'doctor', partNumber: 1, offset: 0, length: 1 };
  return remote.signPartUrl({ ...part, siteUrl: '', expiresAtMs: Date.now() + TIMEOUT_MS });
}

function requestPreflight(origin: string, url: string): Promise<Response> {
  return request(url, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'content-type' },
  });
}

/**
 * Checks that the bucket has a lifecycle rule for data that the sweeper cannot see: parts of an interrupted upload, and
 * old versions of objects.
 */
export const leftovers: Check = {
  name: 'lifecycle',
  needs: 'storage',
  async run({ openObjects }) {
    const { remote } = await openObjects();
    if (!remote) return skipped('not needed: the sweeper sees everything');
    if (!(await remote.expiresLeftovers())) return failed('the bucket never removes leftovers', 'run `doctor --fix`');
    if (await remote.keepsVersions())
      return failed(
        'the bucket keeps versions of objects. The server deletes them with the file, but nothing removes those of older files, so deleted is not gone',
        'run `doctor --fix`: the bucket then removes old versions after a day. Or use a bucket without versioning',
      );
    return ok('the bucket removes leftovers after a few days, old versions included');
  },
  async fix({ openObjects }) {
    await (await openObjects()).remote?.expireLeftovers();
  },
};
