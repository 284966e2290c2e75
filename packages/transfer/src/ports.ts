// What the engines need from the world. A browser, a worker, a command line and the tests each bring their own.
import type { ApiResponse, ByteRange, CallInput, CipherKey, EndpointName, SealedFile, Subtle } from '@furoshiki/core';

/** The JSON API. Throws a Failure; security tokens and their renewal are its own business. */
export interface Api {
  call<N extends EndpointName>(name: N, input: CallInput<N>, signal?: AbortSignal): Promise<ApiResponse<N>>;
  /** Says one last thing while the page is being closed. Nobody hears the answer. */
  callOnUnload<N extends EndpointName>(name: N, input: CallInput<N>): void;
}

/**
 * Bytes in and out of signed URLs. Throws a Failure: NETWORK, TIMEOUT, INVALID_URL, STORAGE_ERROR with its status, or
 * DATA_INCOMPLETE where the store itself says that it has fewer bytes.
 */
export interface ObjectStorage<RequestBody = Uint8Array<ArrayBuffer>> {
  /** Answers the ETag. `onSent` is told how many bytes have left so far. Has a copy of what is in memory when it returns. */
  put(url: string, body: RequestBody, onSent: (bytes: number) => void, signal: AbortSignal): Promise<string>;
  /** Answers exactly the bytes from `start` up to, not including, `end`. */
  getRange(
    url: string,
    start: number,
    end: number,
    onReceived: (bytes: number) => void,
    signal: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer>>;
}

/** Where a file's bytes come from. Throws FILE_UNREADABLE where the file changed or went away. */
export interface PartSource {
  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
}

export interface CryptoPort {
  subtle: Subtle;
  randomBytes(length: number): Uint8Array<ArrayBuffer>;
  /** Frees what nobody will read again, where that can be done sooner than by waiting for the garbage collector. */
  release(used: ArrayBuffer): void;
}

export interface Clock {
  /** For telling how long something took, and nothing else. */
  nowMs(): number;
  /** Resolves after `ms`, or rejects with CANCELLED as soon as the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** What the device itself knows of its connection. It may be wrong either way: only an answer proves a network. */
export interface OnlineEvents {
  /** Calls back whenever a connection may have come back. Answers the function that ends it. */
  onOnline(listener: () => void): () => void;
}

/** The way to the server. `createNetwork` makes one, for all engines of a platform together. */
export interface Network {
  /**
   * Answers at once with false where the server answers; otherwise waits as long as it takes, then answers true.
   * Rejects with CANCELLED as soon as the signal aborts.
   */
  waitUntilReachable(signal: AbortSignal): Promise<boolean>;
  /** Whether somebody is waiting for the network right now. */
  isUnreachable(): boolean;
  /** Tells of changes of `isCutOff`. Answers the function that ends the subscription. */
  subscribe(listener: () => void): () => void;
}

/** A file as the engine knows it. `Source` is whatever the platform reads it from: a File, a path. */
export interface LocalFile<Source> {
  name: string;
  size: number;
  contentType: string;
  source: Source;
}

/** What files are sealed with. To go without is said in so many words: a key that got lost must never mean it. */
export type UploadKey = CipherKey | 'unencrypted';

export interface PartToSend<Source> {
  source: Source;
  file: SealedFile;
  key: UploadKey;
  index: number;
  url: string;
}

/** Reads, seals and PUTs one part, off the main thread, and answers its ETag. */
export interface PartSender<Source> {
  send(part: PartToSend<Source>, onSent: (bytes: number) => void, signal: AbortSignal): Promise<string>;
}

export interface ChunkToFetch {
  url: string;
  /** As stored. */
  range: ByteRange;
  /** Undefined where the file is not encrypted. */
  encryption: { file: SealedFile; key: CipherKey; index: number } | undefined;
  /** An archive needs the checksum of its content, which is no work for the main thread. */
  wantsCrc32: boolean;
}

export interface FetchedChunk {
  bytes: Uint8Array<ArrayBuffer>;
  /** 0 where nobody asked for it. */
  crc32: number;
}

/** Fetches one chunk and opens it, off the main thread. */
export interface ChunkFetcher {
  fetch(chunk: ChunkToFetch, onReceived: (bytes: number) => void, signal: AbortSignal): Promise<FetchedChunk>;
}

export interface FileToSave {
  id: string;
  /** As the page has it: whoever saves it makes it safe. */
  fileName: string;
  fileSize: number;
  /** Plaintext bytes: where a file that was cut off may be gone on with. */
  chunkSize: number;
  /** What was left of an earlier try is gone on with only where this is the same. Undefined: never. */
  identity: string | undefined;
}

/** One file on its way to disk. Only authenticated plaintext ever reaches it, in order. */
export interface FileSink {
  /** How many bytes an earlier try has left there: whole chunks, or all. */
  readonly startsAt: number;
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Hands the file over as finished. The engine calls it only when every byte has been written. */
  finish(): Promise<void>;
  /** Lets go of it, and keeps what is there for another try where it can. */
  suspend(): Promise<void>;
  /** Removes what is there. */
  discard(): Promise<void>;
}

/** Where a file will go: settled before anything is asked of the server. */
export interface Destination {
  /** Once the signal is aborted the sink is only let go of: a write that still waits for the disk need not go on waiting. */
  open(signal: AbortSignal): Promise<FileSink>;
}

export interface FileSaver {
  /**
   * Called on a click, once for each file. `mayAsk` is true for the first file of a click: only then may the person be
   * asked where to save. Throws CANCELLED where that was declined and SAVE_UNSUPPORTED where nothing can be saved.
   */
  choose(file: FileToSave, mayAsk: boolean): Promise<Destination>;
}

/** The ids of files that have arrived, of which the server does not know yet. Outlives the page. */
export interface UnconfirmedStore {
  list(): string[];
  add(id: string): void;
  remove(id: string): void;
}
