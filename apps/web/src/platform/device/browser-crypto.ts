// The browser's cryptography for the engines, and the keys of uploads: new ones, and those that the user typed.
import { formatKey, hasUsualKeyLength, importKey, KEY_BYTES, parseKey, type SecretKey } from '@furoshiki/format';
import type { CryptoPort } from '@furoshiki/transfer';

/** A buffer that is transferred to a closed port is freed at once, without waiting for the garbage collector. */
const closedChannel = new MessageChannel();
closedChannel.port2.close();

export const browserCrypto: CryptoPort = {
  release: (used) => closedChannel.port1.postMessage(undefined, [used]),
  subtle: globalThis.crypto.subtle,
  randomBytes: (length) => globalThis.crypto.getRandomValues(new Uint8Array(length)),
};

const { subtle, randomBytes } = browserCrypto;

/** Creates keys, and reads keys that the user typed. */
export async function newKey(): Promise<{ key: SecretKey; keyText: string }> {
  const bytes = randomBytes(KEY_BYTES);
  return { key: await importKey(subtle, bytes), keyText: formatKey(bytes) };
}

export async function importKeyText(text: string): Promise<SecretKey> {
  // oxlint-disable-next-line no-console -- the key may still be right, so the length alone is no error
  if (!hasUsualKeyLength(text)) console.warn('The key has an unusual length.');
  return importKey(subtle, parseKey(text));
}
