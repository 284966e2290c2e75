// The unit of work of an upload, made for a worker: read one part, seal it where there is a key, PUT it.
import { type CipherKey, Failure, IV_BYTES, plainRange, sealChunk } from '@furoshiki/core';
import { assertNotCancelled } from '../resilience/cancellation.ts';
import type { CryptoPort, PartSource, PartToSend, ObjectStorage } from '../ports.ts';
import type { RunExclusive } from '../concurrency/mutex.ts';

export interface SendPorts<RequestBody> {
  crypto: CryptoPort;
  storage: Pick<ObjectStorage<RequestBody>, 'put'>;
  /** Reading and sealing take turns, because they hold a part in memory several times. Sending does not wait. */
  runExclusive: RunExclusive;
  /** Takes a part out of memory until it has been sent, where there is a place for it. */
  spool(part: Uint8Array<ArrayBuffer>): Promise<RequestBody>;
}

/** Answers the ETag. A part that is tried again is sealed again, under an IV of its own. */
export async function sendPart<RequestBody>(
  { crypto, storage, runExclusive, spool }: SendPorts<RequestBody>,
  { source, file, key, index, url }: PartToSend<PartSource>,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const range = plainRange(file, index);

  function seal(given: CipherKey, plain: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    const iv = crypto.randomBytes(IV_BYTES);
    const sealing = sealChunk(crypto.subtle, given, iv, file, index, plain, crypto.release);
    crypto.release(plain.buffer);
    return sealing;
  }

  const { etag } = await runExclusive(async () => {
    assertNotCancelled(signal);
    const plain = await source.read(range.start, range.end);
    if (plain.length !== range.length) throw new Failure('FILE_UNREADABLE');
    const sealed = key === 'unencrypted' ? plain : await seal(key, plain);
    const body = await spool(sealed);
    assertNotCancelled(signal);
    // In an object, so that the turn ends when sending begins.
    const sending = { etag: storage.put(url, body, onSent, signal) };
    crypto.release(sealed.buffer);
    return sending;
  });
  return etag;
}
