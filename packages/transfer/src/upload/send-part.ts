// The unit of work of an upload, made for a worker: read one part, seal it, PUT it.
import { Failure, IV_BYTES, plainRange, sealChunk } from '@furoshiki/core';
import { assertNotCancelled } from '../cancellation.ts';
import type { Crypto, PartSource, PartToSend, Storage } from '../ports.ts';

/** Answers the ETag. A part that is tried again is sealed again, under an IV of its own. */
export async function sendPart(
  { crypto, storage }: { crypto: Crypto; storage: Storage },
  { source, file, key, index, url }: PartToSend<PartSource>,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const range = plainRange(file, index);
  const plain = await source.read(range.start, range.end);
  if (plain.length !== range.length) throw new Failure('FILE_UNREADABLE');
  const sealed = await sealChunk(crypto.subtle, key, crypto.randomBytes(IV_BYTES), file, index, plain);
  assertNotCancelled(signal);
  return storage.put(url, sealed, onSent, signal);
}
