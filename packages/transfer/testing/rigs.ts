// Engines wired to the fakes, with real cryptography: most tests start from one of these.
import type { PageFile } from '@furoshiki/api';
import {
  contentRange,
  derivePageSecrets,
  importKey,
  KEY_BYTES,
  makeKeyCheck,
  openChunk,
  type OpenedFile,
  openPage,
  packChunk,
  sealChunk,
  sealDetails,
  sealedRange,
  type SecretKey,
  type Subtle,
  toBase64,
} from '@furoshiki/format';
import type { CryptoPort, LocalFile, PartSource } from '../src/ports.ts';
import { createUpload } from '../src/upload/run.ts';
import type { UploadEngine } from '../src/upload/upload-engine.ts';
import { createPartSender } from '../src/upload/send-part.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { createFakeNetwork, type FakeNetwork } from './fake-network.ts';
import { createFakeServer, type FakeServer, type StoredFile } from './fake-server.ts';
import { createFakeSignIn, type FakeSignIn } from './fake-sign-in.ts';
import type { FaultPlan } from './faults.ts';

type Bytes = Uint8Array<ArrayBuffer>;

export const CHUNK_BYTES = 32;
export const randomBytes = (length: number): Bytes => globalThis.crypto.getRandomValues(new Uint8Array(length));
export const subtle: Subtle = globalThis.crypto.subtle;
export const key: SecretKey = await importKey(subtle, randomBytes(KEY_BYTES));

const pageSalt = toBase64(randomBytes(16));
export const pageSecrets = await derivePageSecrets(subtle, key, pageSalt);

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
  /** Of a new server. */
  chunkSize?: number;
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
      deriveBits: (...input) => clock.holdFor(subtle.deriveBits(...input)),
      deriveKey: (...input) => clock.holdFor(subtle.deriveKey(...input)),
      digest: (...input) => clock.holdFor(subtle.digest(...input)),
    },
  };
}

export function createRig({ faultOf = () => undefined, server: given, chunkSize = CHUNK_BYTES }: RigOptions): Rig {
  const clock = createFakeClock();
  const server = given ?? createFakeServer(clock, chunkSize, faultOf);
  server.faultOf = faultOf;
  return { clock, server, network: createFakeNetwork(clock, server) };
}

export interface UploadRig extends Rig {
  engine: UploadEngine<PartSource>;
  signIn: FakeSignIn;
  /** Uploads these contents and resolves when it has ended. */
  upload(...contents: Bytes[]): Promise<void>;
}

export interface UploadRigOptions extends RigOptions {
  /** Asked before each attempt. */
  lanesFor?: () => number;
  /** A client in which the user cannot sign in, such as the command line. */
  cannotSignIn?: true;
}

export function createUploadRig(options: UploadRigOptions = {}): UploadRig {
  const rig = createRig(options);
  const { clock, server, network } = rig;
  const crypto = cryptoOf(clock);
  const spool = async (pieces: Bytes[]) => join(pieces);
  const sender = createPartSender({ crypto, storage: server.storage, spool });
  const signIn = createFakeSignIn({ api: server.api, clock, network });
  const engine = createUpload(
    { api: server.api, clock, network, crypto, sender, signIn: options.cannotSignIn ? undefined : signIn },
    { lanesFor: options.lanesFor ?? (() => options.lanes ?? 3) },
  );
  const upload = (...contents: Bytes[]) =>
    engine.start({ files: contents.map(localFile), key, downloadLimit: 5, retentionDays: 1 });
  return { ...rig, engine, signIn, upload };
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

/** Opens a file as a client does that has the key. */
export async function openFile(page: PageFile): Promise<OpenedFile> {
  const { files } = await openPage(subtle, key, { files: [page] });
  const opened = files.get(page.id);
  if (!opened) throw new Error('the file was not opened');
  return opened;
}

/** Returns the content of a stored file. */
export async function openStored({ page, sealed }: StoredFile): Promise<Bytes> {
  const opened = await openFile(page);
  const chunks: Bytes[] = [];
  for (let index = 0; index < opened.sealed.count; index += 1) {
    const { start, end } = sealedRange(opened.sealed, index);
    chunks.push(await openChunk(subtle, { key: opened.key, file: opened.sealed, index }, sealed.slice(start, end)));
  }
  return join(chunks);
}

export async function pageFileOf(size: number, number = 1, format: 1 | 2 = 2, name?: string): Promise<PageFile> {
  const fileName = name ?? (number === 1 ? 'letter.txt' : `letter ${number}.txt`);
  const salt = toBase64(randomBytes(16));
  const iv = randomBytes(12);
  const sealedFacts =
    format === 1
      ? { keyCheck: await makeKeyCheck(subtle, key, iv, salt) }
      : {
          pageSalt,
          keyCheck: pageSecrets.keyCheck,
          details: await sealDetails(
            subtle,
            pageSecrets.detailsKey,
            iv,
            salt,
            { name: fileName, type: '', size },
            false,
          ),
        };
  return {
    id: `file${String(number).padStart(18, '0')}`,
    fileName,
    fileSize: size,
    isEncrypted: true,
    maxDownloads: 1,
    currentDownloads: 0,
    createdAt: 0,
    expiresAt: 0,
    retentionPeriod: 1,
    chunkSize: CHUNK_BYTES,
    format,
    salt,
    ...sealedFacts,
    granted: false,
  };
}

/** Returns the bytes that a server stores of this file. */
export async function seal(page: PageFile, content: Bytes): Promise<Bytes> {
  const { key: fileKey, sealed: file } = await openFile(page);
  const sealed = new Uint8Array(sealedRange(file, file.count - 1).end);
  for (let index = 0; index < file.count; index += 1) {
    const { start, end } = contentRange(file, index);
    const chunk = await sealChunk(subtle, { key: fileKey, file, index }, randomBytes(12), content.slice(start, end));
    sealed.set(packChunk(chunk), sealedRange(file, index).start);
  }
  return sealed;
}
