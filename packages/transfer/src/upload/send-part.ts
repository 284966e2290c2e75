// The unit of work of an upload, which runs in a worker: reads one part, seals it if there is a key, and PUTs it.
import { Failure } from '@furoshiki/api';
import { contentRange, IV_BYTES, sealChunk } from '@furoshiki/format';
import { createMutex } from '../concurrency/lanes.ts';
import type { CryptoPort, ObjectStorage, PartSender, PartSource, PartToSend } from '../ports.ts';
import { assertNotCancelled } from '../resilience/cancellation.ts';

type Bytes = Uint8Array<ArrayBuffer>;

export interface SendPorts<Part, RequestBody> {
  crypto: CryptoPort;
  storage: Pick<ObjectStorage<RequestBody>, 'put'>;
  /** Makes a request body of the pieces: a temporary file, so that a part takes no memory while it is sent, or a copy. */
  spool(pieces: Bytes[], part: Part): Promise<RequestBody>;
}

/** Create one in each worker: parts are read and sealed one at a time, and sent in parallel. */
export function createPartSender<Part extends PartToSend<PartSource>, RequestBody>({
  crypto,
  storage,
  spool,
}: SendPorts<Part, RequestBody>): PartSender<Part['source'], Part> {
  // While a part is read and sealed, it is in memory several times.
  const runExclusive = createMutex();

  async function read({ source, file, index }: Part): Promise<Bytes> {
    const { start, end, length } = contentRange(file, index);
    const plain = await source
      .slice(start, end)
      .arrayBuffer()
      .catch((cause: unknown) => {
        throw new Failure('FILE_UNREADABLE', {}, { cause });
      });
    if (plain.byteLength !== length) throw new Failure('FILE_UNREADABLE');
    return new Uint8Array(plain);
  }

  /** Each attempt seals again, under a new IV. */
  async function seal({ file, key, index }: Part, plain: Bytes): Promise<Bytes[]> {
    if (key === 'unencrypted') return [plain];
    const sealing = sealChunk(crypto.subtle, { key, file, index }, crypto.randomBytes(IV_BYTES), plain);
    crypto.release(plain.buffer);
    const { iv, body } = await sealing;
    return [iv, body];
  }

  return {
    async send(part, onSent, signal) {
      const { etag } = await runExclusive(async () => {
        assertNotCancelled(signal);
        const pieces = await seal(part, await read(part));
        const body = await spool(pieces, part);
        for (const { buffer } of pieces) crypto.release(buffer);
        assertNotCancelled(signal);
        // Wrapped in an object, because a promise would be awaited: the next part is read while this one is sent.
        return { etag: storage.put(part.url, body, onSent, signal) };
      });
      return etag;
    },
  };
}
