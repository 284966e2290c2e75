// Stores a small file, through the same store as the server's, for the checks.
import { Readable } from 'node:stream';
import type { PartLocation } from '../../ports/object-store.ts';
import type { OpenedObjects } from '../../open-stores.ts';
import type { Clock } from '../../ports/clock.ts';

const TIMEOUT_MS = 10_000;

/** A store, and the clock for its signed URLs. */
export interface TriedStore extends Pick<OpenedObjects, 'objects' | 'served'> {
  clock: Clock;
}

/** Calls `onStep` with the name of each step before it. */
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
  const url = await objects.signPartUrl({ ...part, siteUrl: '', expiresAtMs: clock.nowMs() + TIMEOUT_MS });
  const response = await fetch(url, { method: 'PUT', body: bytes, signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.headers.get('etag') ?? '';
}
