// The browser's cryptography for the engines, and new keys of uploads.
import { formatKey, importKey, KEY_BYTES } from '@furoshiki/format';
import type { CryptoPort } from '@furoshiki/transfer';
import type { NewKey } from '../../services.ts';

/** A buffer that is transferred to a closed port is freed at once, without waiting for the garbage collector. */
const closedChannel = new MessageChannel();
closedChannel.port2.close();

export const browserCrypto: CryptoPort = {
  release: (used) => closedChannel.port1.postMessage(undefined, [used]),
  subtle: globalThis.crypto.subtle,
  randomBytes: (length) => globalThis.crypto.getRandomValues(new Uint8Array(length)),
};

const { subtle, randomBytes } = browserCrypto;

export async function newKey(): Promise<NewKey> {
  const bytes = randomBytes(KEY_BYTES);
  return { key: await importKey(subtle, bytes), keyText: formatKey(bytes) };
}
