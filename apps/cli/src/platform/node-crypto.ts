// The cryptography of the engines, by Node's own module: its keys can also seal and open streams, which WebCrypto cannot.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { MessageChannel } from 'node:worker_threads';
import { type CipherKey, type Subtle, TAG_BYTES } from '@furoshiki/format';
import type { CryptoPort } from '@furoshiki/transfer';

export const CIPHER = 'aes-256-gcm';

/** A key of `nodeCrypto`. */
interface NodeKey extends CipherKey {
  readonly secret: KeyObject;
}

const keyOf = (bytes: Uint8Array): NodeKey => ({ type: 'secret', extractable: false, secret: createSecretKey(bytes) });
export const secretOf = (key: CipherKey): KeyObject => (key as NodeKey).secret;
const bufferOf = (...pieces: Uint8Array[]): ArrayBuffer => new Uint8Array(Buffer.concat(pieces)).buffer;

const subtle: Subtle = {
  importKey: async (_format, keyData) => keyOf(keyData),
  async encrypt({ iv, additionalData }, key, data) {
    const cipher = createCipheriv(CIPHER, secretOf(key), iv).setAAD(additionalData);
    return bufferOf(cipher.update(data), cipher.final(), cipher.getAuthTag());
  },
  async decrypt({ iv, additionalData }, key, data) {
    const decipher = createDecipheriv(CIPHER, secretOf(key), iv, { authTagLength: TAG_BYTES }).setAAD(additionalData);
    decipher.setAuthTag(data.subarray(-TAG_BYTES));
    return bufferOf(decipher.update(data.subarray(0, -TAG_BYTES)), decipher.final());
  },
  deriveBits: async ({ salt, info }, key, length) => hkdfSync('sha256', secretOf(key), salt, info, length / 8),
  deriveKey: async ({ salt, info }, key, { length }) =>
    keyOf(new Uint8Array(hkdfSync('sha256', secretOf(key), salt, info, length / 8))),
  digest: async (_algorithm, data) => bufferOf(createHash('sha256').update(data).digest()),
};

/** A buffer that is transferred to a closed port is freed at once, without waiting for the garbage collector. */
const closedChannel = new MessageChannel();
closedChannel.port2.close();
closedChannel.port1.unref();

export const nodeCrypto: CryptoPort = {
  subtle,
  randomBytes: (length) => new Uint8Array(randomBytes(length)),
  release: (used) => closedChannel.port1.postMessage(undefined, [used]),
};
