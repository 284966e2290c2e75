// WebCrypto as the engines want it.
import type { CryptoPort } from '@furoshiki/transfer';

/** What is sent to a closed port is detached here and received nowhere, so its memory goes at once. */
const nowhere = new MessageChannel();
nowhere.port2.close();

export const browserCrypto: CryptoPort = {
  release: (used) => nowhere.port1.postMessage(undefined, [used]),
  subtle: globalThis.crypto.subtle,
  randomBytes: (length) => globalThis.crypto.getRandomValues(new Uint8Array(length)),
};
