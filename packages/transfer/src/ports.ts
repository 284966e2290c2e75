// What the engines need from the world. A browser, a worker, a command line and the tests each bring their own.
import type { Answer, CallInput, CipherKey, EndpointName, SealedFile, Subtle } from '@furoshiki/core';

/** The JSON API. Throws a Failure; security tokens and their renewal are its own business. */
export interface Api {
  call<N extends EndpointName>(name: N, input: CallInput<N>, signal?: AbortSignal): Promise<Answer<N>>;
  /** Says one last thing while the page is being closed. Nobody hears the answer. */
  callLast<N extends EndpointName>(name: N, input: CallInput<N>): void;
}

/**
 * Bytes in and out of signed URLs. Throws a Failure: NETWORK, TIMEOUT, INVALID_URL, STORAGE_ERROR with its status, or
 * DATA_INCOMPLETE where the store itself says that it has fewer bytes.
 */
export interface Storage {
  /** Answers the ETag. `onSent` is told how many bytes have left so far. */
  put(
    url: string,
    bytes: Uint8Array<ArrayBuffer>,
    onSent: (bytes: number) => void,
    signal: AbortSignal,
  ): Promise<string>;
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

/** Where opened bytes go. Only authenticated plaintext ever reaches it. */
export interface PartSink {
  write(offset: number, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
}

export interface Crypto {
  subtle: Subtle;
  randomBytes(length: number): Uint8Array<ArrayBuffer>;
}

export interface Clock {
  /** Resolves after `ms`, or rejects with CANCELLED as soon as the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** What the device itself knows of its connection. It may be wrong either way: only an answer proves a network. */
export interface Link {
  /** Calls back whenever a connection may have come back. Answers the function that ends it. */
  onUp(listener: () => void): () => void;
}

/** The way to the server. `createNetwork` makes one, for all engines of a platform together. */
export interface Network {
  /**
   * Answers at once with false where the server answers; otherwise waits as long as it takes, then answers true.
   * Rejects with CANCELLED as soon as the signal aborts.
   */
  untilReachable(signal: AbortSignal): Promise<boolean>;
  /** Whether somebody is waiting for the network right now. */
  isCutOff(): boolean;
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

export interface PartToSend<Source> {
  source: Source;
  file: SealedFile;
  key: CipherKey;
  index: number;
  url: string;
}

/** Reads, seals and PUTs one part, off the main thread, and answers its ETag. */
export interface PartSender<Source> {
  send(part: PartToSend<Source>, onSent: (bytes: number) => void, signal: AbortSignal): Promise<string>;
}

/** One file on its way to disk. */
export interface IncomingFile {
  /** Fetches, opens and writes one chunk, off the main thread. Resolves once it is authenticated and written. */
  receive(index: number, url: string, onReceived: (bytes: number) => void, signal: AbortSignal): Promise<void>;
  /** Hands the file over as finished. The engine calls it only when every chunk has been received. */
  finish(): Promise<void>;
  /** Removes what was staged. */
  discard(): Promise<void>;
}

export interface FileReceiver {
  open(file: SealedFile, key: CipherKey): Promise<IncomingFile>;
}
