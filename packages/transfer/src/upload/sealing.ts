// What the files of one upload are sealed with, and what the server stores to check a key.
import type { FileMetadata } from '@furoshiki/api';
import {
  type CipherKey,
  deriveFileKey,
  derivePageSecrets,
  type FileDetails,
  IV_BYTES,
  SALT_BYTES,
  sealDetails,
  sealList,
  toBase64,
} from '@furoshiki/format';
import type { CryptoPort, UploadKey } from '../ports.ts';
import type { OpenFileCheckpoint } from './resume/journal.ts';

/** For the recipient. The server cannot read it. */
export interface UploadNote {
  title?: string | undefined;
  message?: string | undefined;
}

/** What only encrypted files have. */
type SealedFacts = Pick<OpenFileCheckpoint, 'salt' | 'details'>;

export interface Sealing {
  /** The salt of the page. Undefined if the files are not encrypted. */
  pageSalt: string | undefined;
  /** Makes a new salt, and seals the details for it. */
  sealFacts(details: FileDetails, hidesNames: boolean): Promise<SealedFacts>;
  keyOf(salt: string | undefined): Promise<CipherKey | 'unencrypted'>;
  metadataOf(file: Pick<OpenFileCheckpoint, 'chunkSize' | 'salt' | 'details'>): FileMetadata;
  sealList(salts: readonly string[], note: UploadNote): Promise<string | undefined>;
}

const UNENCRYPTED: Sealing = {
  pageSalt: undefined,
  sealFacts: async () => ({}),
  keyOf: async () => 'unencrypted',
  metadataOf: ({ chunkSize }) => ({ chunkSize }),
  sealList: async () => undefined,
};

/** `knownSalt`: the salt of the page, if an earlier tab has begun the upload. */
export async function createSealing(
  { subtle, randomBytes }: CryptoPort,
  key: UploadKey,
  knownSalt: string | undefined,
): Promise<Sealing> {
  if (key === 'unencrypted') return UNENCRYPTED;
  const newSalt = () => toBase64(randomBytes(SALT_BYTES));
  const pageSalt = knownSalt ?? newSalt();
  const { keyCheck, accessCheck, detailsKey } = await derivePageSecrets(subtle, key, pageSalt);
  return {
    pageSalt,
    async sealFacts(details, hidesNames) {
      const salt = newSalt();
      const iv = randomBytes(IV_BYTES);
      return { salt, details: await sealDetails(subtle, detailsKey, iv, salt, details, hidesNames) };
    },
    keyOf: (salt = '') => deriveFileKey(subtle, key, pageSalt, salt),
    metadataOf: ({ chunkSize, salt = '', details = '' }) => ({
      format: 2,
      chunkSize,
      pageSalt,
      salt,
      keyCheck,
      accessCheck,
      details,
    }),
    sealList: (salts, note) =>
      sealList(subtle, detailsKey, randomBytes(IV_BYTES), pageSalt, { files: [...salts], ...note }),
  };
}
