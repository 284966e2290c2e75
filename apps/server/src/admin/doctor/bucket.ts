// Checks of a bucket: who may use it, from which pages, and what it keeps.
import { randomBytes } from 'node:crypto';
import { reasonOf } from '../../diagnosis.ts';
import type { RemoteStore } from '../../ports/object-store.ts';
import { type Check, failed, ok, request, skipped, TIMEOUT_MS } from './check.ts';
import { storeFile, type TriedStore } from './stores.ts';

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
