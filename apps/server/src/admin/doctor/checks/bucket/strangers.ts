// Checks that the store refuses requests without a signature: otherwise anyone could read and delete files without a link.
import { randomBytes } from 'node:crypto';
import { reasonOf } from '../../../../diagnosis/error-reason.ts';
import { type Check, failed, ok, skipped } from '../../finding.ts';
import { storeFile, type TriedStore } from '../../store-file.ts';

const TIMEOUT_MS = 5000;
const REFUSALS = new Set([401, 403]);

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
  const response = await fetch(url, { method, ...body, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
  await response.body?.cancel();
  return response.status;
}
