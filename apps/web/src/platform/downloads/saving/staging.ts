// Downloads in the origin's private file system, before they are saved: encrypted, each with a checkpoint of the bytes
// that are synced.
import { type CipherKey, IV_BYTES, KEY_BYTES, toBase64 } from '@furoshiki/format';
import type { FileToSave } from '@furoshiki/transfer';
import { lockNameOf, lockScratchName, openScratchFolder } from '../../storage/scratch-files.ts';

/** The suffix of checkpoints. Files of earlier versions have it too. */
const CHECKPOINT = '.mark';
/** As long as a grant lives. An older file cannot be resumed. */
const STALE_MS = 12 * 3_600_000;

export interface StagedFile {
  file: FileSystemFileHandle;
  checkpoint: FileSystemFileHandle;
  identity: string;
  nonce: string;
  /** The file is encrypted with it until it is complete. */
  key: CryptoKey;
  /** How many bytes an earlier attempt has written. */
  startsAt: number;
  /** Removes the checkpoint: the file is not resumed, and the next visit removes it. */
  abandon(): Promise<void>;
  /** Releases the lock and keeps the file for another attempt. */
  release(): void;
  remove(): Promise<void>;
}

/** Opens the file with the bytes of an earlier attempt. It is kept until it is removed or this tab is closed. */
export async function stageFile({ id, resumable, fileSize, chunkSize }: FileToSave): Promise<StagedFile> {
  const { name, release } = await lockScratchName(resumable ? id : crypto.randomUUID());
  const folder = await openScratchFolder();
  const file = await folder.getFileHandle(name, { create: true });
  const checkpoint = await folder.getFileHandle(name + CHECKPOINT, { create: true });
  // Only a file that is named by its id can be found again, so no other file gets an identity.
  const identity = resumable && name === id ? await digestOf(resumable.identity) : '';
  const earlier = readCheckpoint(await (await checkpoint.getFile()).text());
  const hasWholeChunks = earlier?.bytes === fileSize || (earlier !== undefined && earlier.bytes % chunkSize === 0);
  const isSame = earlier?.identity === identity && hasWholeChunks && (await file.getFile()).size >= earlier.bytes;
  const nonce = isSame ? earlier.nonce : newNonce();
  return {
    file,
    checkpoint,
    identity,
    nonce,
    key: await (resumable ? deriveStagingKey(resumable.key, identity, nonce) : randomStagingKey()),
    startsAt: isSame ? earlier.bytes : 0,
    abandon: () => folder.removeEntry(name + CHECKPOINT),
    release,
    async remove() {
      await folder.removeEntry(name);
      await folder.removeEntry(name + CHECKPOINT);
      release();
    },
  };
}

/** Removes the files of closed tabs, except those that can still be resumed. */
export async function removeStaleFiles(nowMs: number): Promise<void> {
  const folder = await openScratchFolder();
  const names: string[] = [];
  for await (const name of folder.keys()) names.push(name);
  for (const name of new Set(names.map((entry) => entry.replace(CHECKPOINT, '')))) {
    await navigator.locks.request(lockNameOf(name), { ifAvailable: true }, async (lock) => {
      if (!lock || (await isResumable(folder, name, nowMs))) return;
      // A file that cannot be removed, because something still reads it, must not keep the others.
      for (const entry of [name, name + CHECKPOINT]) await folder.removeEntry(entry).catch(() => undefined);
    });
  }
}

async function isResumable(folder: FileSystemDirectoryHandle, name: string, nowMs: number): Promise<boolean> {
  try {
    const checkpoint = await (await folder.getFileHandle(name + CHECKPOINT)).getFile();
    return readCheckpoint(await checkpoint.text()) !== undefined && nowMs - checkpoint.lastModified < STALE_MS;
  } catch {
    return false;
  }
}

interface StagingCheckpoint {
  /** A digest, so that neither the name nor anything else can be read from it. Empty if the file is never resumed. */
  identity: string;
  /** With the key of the upload, it makes the key that the file is encrypted with. */
  nonce: string;
  bytes: number;
}

/**
 * The checkpoint beside a staged file: which file it is, how it is encrypted, and how many of its bytes are synced.
 */
async function digestOf(identity: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(identity));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

interface CheckpointHandle {
  truncate(size: number): void;
  write(bytes: Uint8Array<ArrayBuffer>, options: { at: number }): number;
  flush(): void;
}

/** Checkpoints differ in length only by the digits of the count, so one that is cut in the middle is not valid JSON. */
export function writeCheckpoint(handle: CheckpointHandle, checkpoint: StagingCheckpoint): void {
  const bytes = new TextEncoder().encode(JSON.stringify(checkpoint));
  handle.write(bytes, { at: 0 });
  handle.truncate(bytes.length);
  handle.flush();
}

/** Returns undefined if the text is not a checkpoint, or one that cannot be resumed from. */
function readCheckpoint(text: string): StagingCheckpoint | undefined {
  try {
    const { identity, nonce, bytes } = JSON.parse(text) as Partial<StagingCheckpoint>;
    // Version 0.2.0 staged files without a nonce, unencrypted.
    const isValid = identity && nonce && Number.isSafeInteger(bytes);
    return isValid ? { identity, nonce, bytes: Number(bytes) } : undefined;
  } catch {
    return undefined;
  }
}

// Staged files are encrypted: what a crash or a closed tab leaves on the disk cannot be read without the key of the upload.

const NONCE_BYTES = 16;
const AES_BLOCK_BYTES = 16;

/** A new one for every file that is staged from its first byte: under one nonce no offset may hold two different bytes. */
export const newNonce = (): string => toBase64(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));

/**
 * Derives the key of one staged file, so that a user who types the key of the upload again can resume it. The derived
 * key is keystream of AES-GCM. Its IV is a hash: an attacker who changes the nonce on the disk cannot choose an IV that a
 * chunk has, for which part of the keystream may be known.
 */
export async function deriveStagingKey(key: CipherKey, identity: string, nonce: string): Promise<CryptoKey> {
  const context = new TextEncoder().encode(JSON.stringify(['furoshiki/staging', identity, nonce]));
  const iv = (await crypto.subtle.digest('SHA-256', context)).slice(0, IV_BYTES);
  const zeros = new Uint8Array(KEY_BYTES);
  const keystream = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key as CryptoKey, zeros);
  return crypto.subtle.importKey('raw', keystream.slice(0, KEY_BYTES), 'AES-CTR', false, ['encrypt']);
}

/** For a file that is never resumed. Nothing outside of this tab's memory can decrypt it. */
export const randomStagingKey = (): Promise<CryptoKey> =>
  crypto.subtle.generateKey({ name: 'AES-CTR', length: 8 * KEY_BYTES }, false, ['encrypt']);

/**
 * Encrypts plaintext and decrypts ciphertext: in CTR mode both are the same. `at` is the offset of the bytes in their
 * file. WebCrypto has copied them when this function returns its promise, so the caller may reuse their memory at once.
 */
export async function applyKeystream(
  key: CryptoKey,
  at: number,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const before = at % AES_BLOCK_BYTES;
  const counter = new Uint8Array(AES_BLOCK_BYTES);
  new DataView(counter.buffer).setBigUint64(8, BigInt((at - before) / AES_BLOCK_BYTES));
  const blocks = before === 0 ? bytes : new Uint8Array(before + bytes.length);
  if (blocks !== bytes) blocks.set(bytes, before);
  return new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-CTR', counter, length: 64 }, key, blocks), before);
}

/** The requests that the page sends to a staging worker. Each worker writes one file. */
export type FileToWrite = Pick<StagedFile, 'file' | 'checkpoint' | 'identity' | 'nonce' | 'key' | 'startsAt'>;

export type StagingRequest =
  | ({ type: 'open' } & FileToWrite)
  | { type: 'write'; bytes: Uint8Array<ArrayBuffer> }
  /** Decrypts the whole file in place. */
  | { type: 'decrypt' }
  | { type: 'close' };
