// What the engines need from their platform. A browser, a worker, a command line and the tests each provide their own.
import type { ApiResponse, CallInput, EndpointName, ExpectedFile, FailureCode, FailureDetails } from '@furoshiki/api';
import type { ByteRange, ChunkContext, CipherKey, FolderFacts, SealedFile, SecretKey, Subtle } from '@furoshiki/format';

/** The JSON API. Throws a Failure. Fetches and renews the security token by itself. */
export interface Api {
  call<N extends EndpointName>(name: N, input: CallInput<N>, signal?: AbortSignal): Promise<ApiResponse<N>>;
  /** Sends a last call while the tab is being closed. The response is lost. */
  callOnUnload<N extends EndpointName>(name: N, input: CallInput<N>): void;
}

/**
 * Sends bytes to signed URLs and fetches them. Throws a Failure: NETWORK, TIMEOUT, INVALID_URL, STORAGE_ERROR with its
 * status, or DATA_INCOMPLETE if the store itself says that it has fewer bytes.
 */
export interface ObjectStorage<RequestBody = Uint8Array<ArrayBuffer>> {
  /** Returns the ETag. Calls `onSent` with the number of bytes sent so far. */
  put(url: string, body: RequestBody, onSent: (bytes: number) => void, signal: AbortSignal): Promise<string>;
  /** Returns the bytes from `start` up to, not including, `end`. Fewer of them if the connection broke after the first byte. */
  getRange(
    url: string,
    start: number,
    end: number,
    onReceived: (bytes: number) => void,
    signal: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer>>;
}

/** The part of Blob that is needed to read a file. Rejects if the file has changed or is gone. */
export interface PartSource {
  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

export interface CryptoPort {
  subtle: Subtle;
  randomBytes(length: number): Uint8Array<ArrayBuffer>;
  /** Frees memory that will not be read again, if the platform can do that before its garbage collector does. */
  release(used: ArrayBuffer): void;
}

export interface Clock {
  /** Only for measuring how long something took. */
  nowMs(): number;
  /** Resolves after `ms`, or rejects with CANCELLED as soon as the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** A random number from 0 up to, not including, 1: it spreads the waits of clients that have lost the same server. */
  random(): number;
}

/** What the device knows about its connection. It may be wrong: only a response proves that there is a network. */
export interface OnlineEvents {
  /** Calls the listener whenever the connection may be back. Returns the function that ends the subscription. */
  onOnline(listener: () => void): () => void;
}

/** Knows whether the server can be reached. `createNetwork` makes one, which all engines of a platform share. */
export interface Network {
  /**
   * Returns false at once if the server responds. Otherwise waits until it does, then returns true.
   * Rejects with CANCELLED as soon as the signal aborts.
   */
  waitUntilReachable(signal: AbortSignal): Promise<boolean>;
  /** Whether a caller is waiting for the network right now. */
  isUnreachable(): boolean;
  /** Calls the listener when `isUnreachable` changes. Returns the function that ends the subscription. */
  subscribe(listener: () => void): () => void;
}

/** The user signs in outside of the engines, for example in another tab. */
export interface SignInEvents {
  /** Calls the listener whenever the user may have signed in. Returns the function that ends the subscription. */
  onMaybeSignedIn(listener: () => void): () => void;
  /** Called when uploads that have waited go on. */
  onContinued(): void;
}

/** refused: uploads still wait, because the server has been asked and says that the user has not signed in. */
export type SignInState = 'none' | 'waiting' | 'refused';

/** Lets uploads wait for a sign-in that the server requires. `createSignIn` makes one. */
export interface SignIn {
  /** Resolves when the server would allow an upload. Rejects with CANCELLED as soon as the signal aborts. */
  waitUntilSignedIn(signal: AbortSignal): Promise<void>;
  /** Asks the server now, because the user says so. */
  check(): void;
  state(): SignInState;
  /** Calls the listener when `state` changes. Returns the function that ends the subscription. */
  subscribe(listener: () => void): () => void;
}

/** A file to upload. `Source` is what the platform reads it from: a File, a path. */
export interface LocalFile<Source> {
  name: string;
  size: number;
  contentType: string;
  /** Epoch seconds. */
  modifiedAt?: number | undefined;
  /** Whether its owner can run it as a program. Undefined if the platform does not know. */
  executable?: true | undefined;
  /** Set if it is the archive of a folder. */
  folder?: FolderFacts | undefined;
  source: Source;
}

/** The key of an upload. No encryption is an explicit value: a key that got lost must never mean it. */
export type UploadKey = SecretKey | 'unencrypted';

export interface PartToSend<Source> {
  source: Source;
  file: SealedFile;
  /** The key of this file. */
  key: CipherKey | 'unencrypted';
  index: number;
  url: string;
}

/** Reads, seals and PUTs one part, off the main thread. Returns its ETag. */
export interface PartSender<Source, Part = PartToSend<Source>> {
  send(part: Part, onSent: (bytes: number) => void, signal: AbortSignal): Promise<string>;
}

export interface ChunkToFetch {
  url: string;
  /** In the stored bytes. */
  range: ByteRange;
  /** Undefined if the file is not encrypted. */
  encryption: ChunkContext | undefined;
  /** An archive needs checksums, which are too much work for the main thread. */
  wantsCrc32: boolean;
  /** What an earlier attempt has received of this chunk: only the rest is fetched. */
  received?: ReceivedStart | undefined;
}

/** The first stored bytes of a chunk. Only the fetcher that made it knows what is in it: nothing of it is authenticated. */
export interface ReceivedStart {
  readonly length: number;
}

/** The connection broke. */
export interface CutChunk {
  received: ReceivedStart;
}

export interface FetchedChunk {
  bytes: Uint8Array<ArrayBuffer>;
  /** 0 unless `wantsCrc32` was set. */
  crc32: number;
}

/**
 * Fetches one chunk and opens it, off the main thread. Calls `onReceived` with the number of stored bytes that are there, those of
 * earlier attempts included. Returns what has arrived if the connection breaks, or the signal aborts, after a byte was received.
 */
export interface ChunkFetcher {
  fetch(
    chunk: ChunkToFetch,
    onReceived: (bytes: number) => void,
    signal: AbortSignal,
  ): Promise<FetchedChunk | CutChunk>;
}

export interface SmallFilesRequest {
  /** Below the address of the site. */
  path: string;
  headers: Record<string, string>;
  files: readonly SmallFileToFetch[];
}

/** A sealed file of one chunk. */
export interface SmallFileToFetch extends ExpectedFile {
  encryption: ChunkContext;
  wantsCrc32: boolean;
}

export type FetchedSmallFile =
  | { chunk: FetchedChunk; requiresDecryptionConfirmation: boolean }
  | { failure: { code: FailureCode; details: FailureDetails } };

/**
 * Fetches many small files with one request and opens each, off the main thread. Calls `onFile` for each as it arrives, with its
 * index in the request, and `onReceived` with the number of bytes so far. Rejects if the response is not complete: files that have
 * arrived before are valid.
 */
export interface SmallFilesFetcher {
  fetch(
    request: SmallFilesRequest,
    onFile: (index: number, file: FetchedSmallFile) => void,
    onReceived: (bytes: number) => void,
    signal: AbortSignal,
  ): Promise<void>;
}

export interface FileToSave {
  id: string;
  /** As the page has it. The platform makes it safe. */
  fileName: string;
  fileSize: number;
  /** Plaintext bytes. An interrupted file is resumed at a multiple of it. */
  chunkSize: number;
  /** Undefined: an interrupted file is not resumed. */
  resumable: Resumable | undefined;
  /** Epoch seconds, as the sender has sealed it. */
  modifiedAt?: number | undefined;
  /** As the sender has sealed it. */
  executable?: boolean | undefined;
  /** Set if it is the archive of a folder. */
  folder?: FolderFacts | undefined;
}

export interface Resumable {
  /** The bytes of an earlier attempt are kept only if this is the same. */
  identity: string;
  /** What a platform keeps of the file is readable only with this key. */
  key: CipherKey;
}

/** One file that is being saved. It receives only authenticated plaintext, in order. */
export interface FileSink {
  /** How many bytes an earlier attempt has written: whole chunks, or all. */
  readonly startsAt: number;
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Saves the file as complete. The engine calls it only after every byte was written. */
  finish(): Promise<void>;
  /** Closes the file, and keeps its bytes for another attempt if possible. */
  suspend(): Promise<void>;
  /** Closes the file and removes its bytes. */
  discard(): Promise<void>;
}

/** A place to save one file to. It is chosen before anything is requested from the server. */
export interface Destination {
  /** After the signal has aborted, the engine only closes the sink: pending writes may end early. */
  open(signal: AbortSignal): Promise<FileSink>;
}

export interface FileSaver {
  /**
   * Called on a click, once for each file. `mayAsk` is true for the first file of a click: only then may the user be
   * asked where to save. Throws CANCELLED if the user declines and SAVE_UNSUPPORTED if the browser cannot save.
   */
  choose(file: FileToSave, mayAsk: boolean): Promise<Destination>;
}

/** The ids of files that have arrived and are not yet confirmed to the server. Outlives the tab. */
export interface UnconfirmedStore {
  list(): string[];
  add(id: string): void;
  remove(id: string): void;
}
