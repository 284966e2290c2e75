// The unit of work of a download, made for a worker: fetch one sealed chunk, open it, write it.
import {
  type CipherKey,
  Failure,
  openChunk,
  plainRange,
  type SealedFile,
  sealedRange,
  type Subtle,
} from '@furoshiki/core';
import { assertNotCancelled } from '../cancellation.ts';
import type { PartSink, Storage } from '../ports.ts';

export interface ChunkToReceive {
  file: SealedFile;
  key: CipherKey;
  index: number;
  url: string;
}

export async function receiveChunk(
  { subtle, storage }: { subtle: Subtle; storage: Storage },
  sink: PartSink,
  { file, key, index, url }: ChunkToReceive,
  onReceived: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const range = sealedRange(file, index);
  const sealed = await storage.getRange(url, range.start, range.end, onReceived, signal);
  // A cut connection, not a forgery: worth another try, unlike a chunk that is whole and does not open.
  if (sealed.length !== range.length) throw new Failure('NETWORK');
  const plain = await openChunk(subtle, key, file, index, sealed);
  assertNotCancelled(signal);
  await sink.write(plainRange(file, index).start, plain);
}
