// WebCrypto as the engines want it.
import type { Crypto } from '@furoshiki/transfer';

export const browserCrypto: Crypto = {
  subtle: globalThis.crypto.subtle,
  randomBytes: (length) => globalThis.crypto.getRandomValues(new Uint8Array(length)),
};
