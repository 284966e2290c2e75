// The cryptography of the engines: WebCrypto of the browser.
import type { CryptoPort } from '@furoshiki/transfer';

/** A buffer that is transferred to a closed port is freed at once, without waiting for the garbage collector. */
const closedChannel = new MessageChannel();
closedChannel.port2.close();

export const browserCrypto: CryptoPort = {
  release: (used) => closedChannel.port1.postMessage(undefined, [used]),
  subtle: globalThis.crypto.subtle,
  randomBytes: (length) => globalThis.crypto.getRandomValues(new Uint8Array(length)),
};
