// Encrypts resume records. The key is derived from two halves, one on this device and one on the server, and never stored.
// See ADR 10.
import { type CipherKey, gcm, hkdf, IV_BYTES } from '@furoshiki/format';
import { type ApiResponse, asFailure } from '@furoshiki/api';
import type { CryptoPort } from '../../ports.ts';
import { call, type CallPorts, neverCancelled } from '../../resilience/retry.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const PURPOSE = 'furoshiki resume record';
const NO_DATA = new Uint8Array();

export interface EncryptedContent {
  iv: Bytes;
  encrypted: ArrayBuffer;
}

export type RecordEncryption = ReturnType<typeof createRecordEncryption>;

export function createRecordEncryption({ subtle, randomBytes }: Pick<CryptoPort, 'subtle' | 'randomBytes'>) {
  return {
    /** This device's half, of 32 random bytes. Non-extractable: code can use it, but not read it. */
    importLocalSecret: (bytes: Bytes): Promise<CipherKey> =>
      subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey']),

    deriveRecordKey(localSecret: CipherKey, resumeSecret: string): Promise<CipherKey> {
      const halves = hkdf(bytesOf(resumeSecret), PURPOSE);
      return subtle.deriveKey(halves, localSecret, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
    },

    async encryptContent(key: CipherKey, content: object): Promise<EncryptedContent> {
      const iv = randomBytes(IV_BYTES);
      return { iv, encrypted: await subtle.encrypt(gcm(iv, NO_DATA), key, bytesOf(JSON.stringify(content))) };
    },

    /** Returns undefined if the content is damaged, or encrypted with another key. */
    async decryptContent<T>(key: CipherKey, { iv, encrypted }: EncryptedContent): Promise<T | undefined> {
      try {
        const bytes = await subtle.decrypt(gcm(iv, NO_DATA), key, new Uint8Array(encrypted));
        return JSON.parse(new TextDecoder().decode(bytes)) as T;
      } catch {
        return undefined;
      }
    },
  };
}

const bytesOf = (text: string): Bytes => new TextEncoder().encode(text);

/** The server's halves of the keys. Every call waits for the network. */
export interface ResumeSecrets {
  /** Throws if the server refuses: then the upload cannot be resumed. */
  create(): Promise<ApiResponse<'createResumeSecret'>>;
  /** Also makes the server keep it for another day. Undefined if the server no longer has it. */
  read(id: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Best effort: without it, the server drops the secret a day later. Never throws. */
  drop(id: string): Promise<void>;
}

export function createResumeSecrets(ports: CallPorts): ResumeSecrets {
  return {
    create: () => call(ports, 'createResumeSecret', {}, neverCancelled()),
    async read(id, signal = neverCancelled()) {
      try {
        return (await call(ports, 'readResumeSecret', { params: { id } }, signal)).secret;
      } catch (thrown) {
        if (asFailure(thrown).code === 'NOT_FOUND') return undefined;
        throw thrown;
      }
    },
    drop: (id) =>
      call(ports, 'dropResumeSecret', { params: { id } }, neverCancelled()).then(
        () => undefined,
        () => undefined,
      ),
  };
}
