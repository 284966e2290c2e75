// The cryptography of the engines: WebCrypto of Node, which works on threads of its own.
import { webcrypto } from 'node:crypto';
import { MessageChannel } from 'node:worker_threads';
import type { Subtle } from '@furoshiki/core';
import type { CryptoPort } from '@furoshiki/transfer';

/** A buffer that is transferred to a closed port is freed at once, without waiting for the garbage collector. */
const closedChannel = new MessageChannel();
closedChannel.port2.close();
closedChannel.port1.unref();

export const nodeCrypto: CryptoPort = {
  subtle: webcrypto.subtle as Subtle,
  randomBytes: (length) => webcrypto.getRandomValues(new Uint8Array(length)),
  release: (used) => closedChannel.port1.postMessage(undefined, [used]),
};
