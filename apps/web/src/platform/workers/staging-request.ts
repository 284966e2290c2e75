// The requests that the page sends to a staging worker. Each worker writes one file.
import type { StagedFile } from '../downloads/saving/staging.ts';

export type FileToWrite = Pick<StagedFile, 'file' | 'checkpoint' | 'identity' | 'nonce' | 'key' | 'startsAt'>;

export type StagingRequest =
  | ({ type: 'open' } & FileToWrite)
  | { type: 'write'; bytes: Uint8Array<ArrayBuffer> }
  /** Decrypts the whole file in place. */
  | { type: 'decrypt' }
  | { type: 'close' };
