// The encryption of resume records with the browser's cryptography.
import { createRecordEncryption } from '@furoshiki/transfer';
import { browserCrypto } from '../device/browser-crypto.ts';

const { importLocalSecret, ...encryption } = createRecordEncryption(browserCrypto);

export const { deriveRecordKey, encryptContent, decryptContent } = encryption;

/** IndexedDB stores it: scripts can use it, but no script can read it. */
export const newLocalSecret = () => importLocalSecret(browserCrypto.randomBytes(32));
