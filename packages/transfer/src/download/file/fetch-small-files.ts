// The unit of work for many small files, which runs in a worker: fetches them with one request, and opens each one separately.
import { asFailure, createFrameReader, type Failure, type ReceivedFrame } from '@furoshiki/api';
import { openChunk } from '@furoshiki/format';
import type { CryptoPort, FetchedSmallFile, SmallFilesFetcher, SmallFilesRequest } from '../../ports.ts';
import { assertNotCancelled } from '../../resilience/cancellation.ts';
import { crc32 } from '../zip/crc32.ts';

interface SmallFilesPorts {
  crypto: Pick<CryptoPort, 'subtle'>;
  /**
   * Sends the request, and passes on the bytes of a response with status 200 as they come. Throws a Failure: that of the response,
   * NETWORK or CANCELLED, or what `onPiece` throws.
   */
  post(
    request: Pick<SmallFilesRequest, 'path' | 'headers'> & { body: string },
    onPiece: (piece: Uint8Array) => void,
    signal: AbortSignal,
  ): Promise<void>;
}

export function createSmallFilesFetcher({ crypto, post }: SmallFilesPorts): SmallFilesFetcher {
  async function open(files: SmallFilesRequest['files'], frame: ReceivedFrame): Promise<FetchedSmallFile> {
    if ('failure' in frame) return refused('fileInfo', frame.failure);
    const { bytes: stored, index, requiresDecryptionConfirmation } = frame;
    const file = files[index] as SmallFilesRequest['files'][number];
    try {
      const bytes = await openChunk(crypto.subtle, file.encryption, stored);
      return { chunk: { bytes, crc32: file.wantsCrc32 ? crc32(bytes) : 0 }, requiresDecryptionConfirmation };
    } catch (thrown) {
      return refused('storage', asFailure(thrown));
    }
  }

  return {
    async fetch({ files, ...request }, onFile, onReceived, signal) {
      const opening: Promise<void>[] = [];
      const openAndPass = async (frame: ReceivedFrame) => onFile(frame.index, await open(files, frame));
      const reader = createFrameReader(files, (frame) => opening.push(openAndPass(frame)));
      const body = JSON.stringify({ ids: files.map(({ id }) => id) });
      let received = 0;
      try {
        await post(
          { ...request, body },
          (piece) => {
            reader.push(piece);
            received += piece.length;
            onReceived(received);
          },
          signal,
        );
        reader.end();
      } finally {
        // What has arrived whole is used, also if the rest has not.
        await Promise.all(opening);
      }
      assertNotCancelled(signal);
    },
  };
}

/** An Error loses its fields between threads, so they are passed separately. */
const refused = (during: 'fileInfo' | 'storage', { code, details }: Failure): FetchedSmallFile => ({
  failure: { code, details: { ...details, during } },
});
