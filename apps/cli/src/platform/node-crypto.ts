// The cryptography of the engines: WebCrypto of Node, which works on threads of its own.
import { webcrypto } from 'node:crypto';
import type { Subtle } from '@furoshiki/core';
import type { CryptoPort } from '@furoshiki/transfer';

export const nodeCrypto: CryptoPort = {
  subtle: webcrypto.subtle as Subtle,
  randomBytes: (length) => webcrypto.getRandomValues(new Uint8Array(length)),
  release: () => {},
};
