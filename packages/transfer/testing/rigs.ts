// Engines wired to the fakes, with real cryptography: most tests start from one of these.
import {
  type CipherKey,
  importKey,
  KEY_BYTES,
  openChunk,
  packChunk,
  type PageFile,
  planOfChunks,
  plainRange,
  type SealedFile,
  sealChunk,
  sealedRange,
  type Subtle,
  toBase64,
} from '@furoshiki/core';
import type { CryptoPort, LocalFile, PartSource } from '../src/ports.ts';
import { createUpload } from '../src/upload/run.ts';
import type { UploadEngine } from '../src/upload/upload-engine.ts';
import { createPartSender } from '../src/upload/send-part.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { createFakeNetwork, type FakeNetwork } from './fake-network.ts';
import { createFakeServer, type FakeServer, type StoredFile } from './fake-server.ts';
import type { FaultPlan } from './faults.ts';

type Bytes = Uint8Array<ArrayBuffer>;

export const CHUNK_BYTES = 32;
export const randomBytes = (length: number): Bytes => globalThis.crypto.getRandomValues(new Uint8Array(length));
export const subtle: Subtle = globalThis.crypto.subtle;
export const key: CipherKey = await importKey(subtle, randomBytes(KEY_BYTES));

export interface Rig {
  clock: FakeClock;
  server: FakeServer;
  network: FakeNetwork;
}

export interface RigOptions {
  lanes?: number;
  faultOf?: FaultPlan;
  /** A server that another engine has used. */
  server?: FakeServer;
}

/** WebCrypto under virtual time. */
export function cryptoOf(clock: FakeClock): CryptoPort {
  return {
    randomBytes,
    // As strict as a platform may be: released memory is empty.
    release: (used) => void used.transfer(0),
    subtle: {
      importKey: (...input) => clock.holdFor(subtle.importKey(...input)),
      encrypt: (...input) => clock.holdFor(subtle.encrypt(...input)),
      decrypt: (...input) => clock.holdFor(subtle.decrypt(...input)),
    },
  };
}

export function createRig({ faultOf = () => undefined, server: given }: RigOptions): Rig {
  const clock = createFakeClock();
  const server = given ?? createFakeServer(clock, CHUNK_BYTES, faultOf);
  server.faultOf = faultOf;
  return { clock, server, network: createFakeNetwork(clock, server) };
}

export interface UploadRig extends Rig {
  engine: UploadEngine<PartSource>;
  /** Uploads these contents and resolves when it has ended. */
  upload(...contents: Bytes[]): Promise<void>;
}

export interface UploadRigOptions extends RigOptions {
  /** Asked before each attempt. */
  lanesFor?: () => number;
}

export function createUploadRig(options: UploadRigOptions = {}): UploadRig {
  const rig = createRig(options);
  const { clock, server, network } = rig;
  const crypto = cryptoOf(clock);
  const spool = async (pieces: Bytes[]) => join(pieces);
  const sender = createPartSender({ crypto, storage: server.storage, spool });
  const engine = createUpload(
    { api: server.api, clock, network, crypto, sender },
    { lanesFor: options.lanesFor ?? (() => options.lanes ?? 3) },
  );
  const upload = (...contents: Bytes[]) =>
    engine.start({ files: contents.map(localFile), key, downloadLimit: 5, retentionDays: 1 });
  return { ...rig, engine, upload };
}

export function localFile(content: Bytes, index: number): LocalFile<PartSource> {
  return { name: `file ${index + 1}.bin`, size: content.length, contentType: '', source: sourceOf(content) };
}

export function join(pieces: readonly Bytes[]): Bytes {
  return Uint8Array.from(pieces.flatMap((piece) => [...piece]));
}

export function sourceOf(bytes: Bytes): PartSource {
  return { slice: (start, end) => ({ arrayBuffer: async () => bytes.slice(start, end).buffer }) };
}

/** Returns the plaintext of a stored file. */
export async function openStored({ page, sealed }: StoredFile): Promise<Bytes> {
  const file = sealedFileOf(page);
  const opened = new Uint8Array(file.fileSize);
  for (let index = 0; index < file.count; index += 1) {
    const { start, end } = sealedRange(file, index);
    opened.set(await openChunk(subtle, { key, file, index }, sealed.slice(start, end)), plainRange(file, index).start);
  }
  return opened;
}

export function pageFileOf(fileSize: number, number = 1): PageFile {
  return {
    id: `file${String(number).padStart(18, '0')}`,
    fileName: number === 1 ? 'letter.txt' : `letter ${number}.txt`,
    fileSize,
    isEncrypted: true,
    maxDownloads: 1,
    currentDownloads: 0,
    createdAt: 0,
    expiresAt: 0,
    retentionPeriod: 1,
    chunkSize: CHUNK_BYTES,
    salt: toBase64(randomBytes(16)),
    granted: false,
  };
}

export function sealedFileOf({ fileName, fileSize, chunkSize, salt = '' }: PageFile): SealedFile {
  return { ...planOfChunks(fileSize, chunkSize), fileName, salt };
}

export async function seal(file: SealedFile, content: Bytes): Promise<Bytes> {
  const sealed = new Uint8Array(sealedRange(file, file.count - 1).end);
  for (let index = 0; index < file.count; index += 1) {
    const { start, end } = plainRange(file, index);
    const chunk = await sealChunk(subtle, { key, file, index }, randomBytes(12), content.slice(start, end));
    sealed.set(packChunk(chunk), sealedRange(file, index).start);
  }
  return sealed;
}
