// A file that is written to standard output, chunk by chunk, as soon as each is authenticated.
import type { Writable } from 'node:stream';
import { Failure } from '@furoshiki/core';
import type { Destination } from '@furoshiki/transfer';

export function outputSink(output: Writable): Destination {
  return {
    open: async () => ({
      startsAt: 0,
      write: (bytes) =>
        new Promise((resolve, reject) => {
          output.write(bytes, (cause) => (cause ? reject(new Failure('SAVE_FAILED', {}, { cause })) : resolve()));
        }),
      finish: async () => {},
      suspend: async () => {},
      discard: async () => {},
    }),
  };
}
