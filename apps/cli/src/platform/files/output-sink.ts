// A file that is written to standard output, chunk by chunk, as soon as each is authenticated.
import type { Writable } from 'node:stream';
import { Failure } from '@furoshiki/api';
import type { Destination } from '@furoshiki/transfer';
import { giveBack } from '../parts/chunk-buffers.ts';

export function outputSink(output: Writable): Destination {
  return {
    open: async () => ({
      startsAt: 0,
      async write(bytes) {
        await new Promise<void>((resolve, reject) => {
          output.write(bytes, (cause) => (cause ? reject(new Failure('SAVE_FAILED', {}, { cause })) : resolve()));
        });
        giveBack(bytes.buffer);
      },
      finish: async () => {},
      suspend: async () => {},
      discard: async () => {},
    }),
  };
}
