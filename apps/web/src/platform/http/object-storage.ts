// Sends bytes to signed URLs and fetches them, in workers. Uses XHR to send, because only XHR reports upload progress. XHR
// always sends our cookie to our own origin, where the server ignores it for these requests; other stores do not get it. Has no timeouts: the engines have them.
import { Failure, failureOfResponse } from '@furoshiki/api';
import { KB } from '@furoshiki/format';
import { type ObjectStorage, parseJson } from '@furoshiki/transfer';

export const browserStorage: ObjectStorage<Blob> = {
  put(url, body, onSent, signal) {
    assertUrl(url);
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open('PUT', url);
      request.setRequestHeader('content-type', 'application/octet-stream');
      request.upload.addEventListener('progress', (event) => onSent(event.loaded));
      request.addEventListener('load', () => {
        const etag = request.getResponseHeader('etag');
        if (request.status === 200 && etag !== null) resolve(etag);
        else reject(refusal(request.status, request.responseText));
      });
      request.addEventListener('error', () => reject(new Failure('NETWORK')));
      // Browsers abort requests by themselves, for example after sleep mode: that is a broken connection.
      request.addEventListener('abort', () => reject(new Failure(signal.aborted ? 'CANCELLED' : 'NETWORK')));
      if (signal.aborted) return reject(new Failure('CANCELLED'));
      const abort = () => request.abort();
      signal.addEventListener('abort', abort);
      request.addEventListener('loadend', () => signal.removeEventListener('abort', abort));
      return request.send(body);
    });
  },

  async getRange(url, start, end, onReceived, signal) {
    assertUrl(url);
    try {
      const response = await fetch(url, {
        credentials: 'omit',
        cache: 'no-store',
        headers: { range: `bytes=${start}-${end - 1}` },
        signal,
      });
      if (response.status !== 206 && response.status !== 416) throw refusal(response.status, await response.text());
      assertWhole(response, end - start);
      if (!response.body) throw new Failure('NETWORK');
      return await readUpTo(response.body, end - start, onReceived);
    } catch (cause) {
      if (cause instanceof Failure) throw cause;
      throw new Failure(signal.aborted ? 'CANCELLED' : 'NETWORK', {}, { cause });
    }
  },
};

/** Sends a call of our API whose response is no JSON, and passes on the bytes of the response as they come. */
export async function postForBytes(
  { path, headers, body }: { path: string; headers: Record<string, string>; body: string },
  onPiece: (piece: Uint8Array) => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    const response = await fetch(path, {
      method: 'POST',
      credentials: 'include',
      cache: 'no-store',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body,
      signal,
    });
    if (!response.ok) throw failureOfResponse(response.status, parseJson(await response.text()));
    if (!response.body) throw new Failure('NETWORK');
    const reader = response.body.getReader();
    try {
      for (let { value } = await reader.read(); value; { value } = await reader.read()) onPiece(value);
    } catch (error) {
      // Of a response that is refused, the rest is not received.
      reader.cancel().catch(() => undefined);
      throw error;
    }
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure(signal.aborted ? 'CANCELLED' : 'NETWORK', {}, { cause });
  }
}

/** A store that announces fewer bytes has lost some, so a retry would not help. */
function assertWhole({ status, headers }: Response, length: number): void {
  const announced = headers.get('content-length');
  const isShort = status === 206 && announced !== null && Number(announced) !== length;
  if (status === 416 || isShort) throw new Failure('DATA_INCOMPLETE');
}

/** Our own store sends an error envelope. For any other store the status is all there is. */
function refusal(status: number, text: string): Failure {
  const failure = failureOfResponse(status, parseJson(text));
  return failure.code === 'API_ERROR' ? new Failure('STORAGE_ERROR', { status }) : failure;
}

/** Returns what has arrived if the connection breaks after the first byte. A body that is too long is a broken connection, too. */
async function readUpTo(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  length: number,
  onReceived: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = byteReaderOf(body);
  return reader ? readInto(reader, length, onReceived) : readPieces(body.getReader(), length, onReceived);
}

/** Returns undefined if the browser does not support byte streams for fetch. */
function byteReaderOf(body: ReadableStream): ReadableStreamBYOBReader | undefined {
  try {
    return body.getReader({ mode: 'byob' });
  } catch {
    return undefined;
  }
}

/** As much as a network delivers at once. What is in it is lost if the connection breaks. */
const READ_BYTES = 256 * KB;

/**
 * Reads into one small buffer, which is transferred back and forth, so that packets leave no garbage. Not into the memory of the
 * chunk itself: a stream that breaks does not give its buffer back.
 */
async function readInto(
  reader: ReadableStreamBYOBReader,
  length: number,
  onReceived: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  let buffer = new ArrayBuffer(READ_BYTES);
  return collect(length, onReceived, async () => {
    const { done, value } = await reader.read(new Uint8Array(buffer));
    if (done) return undefined;
    ({ buffer } = value);
    return value;
  });
}

const readPieces = (
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  length: number,
  onReceived: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> => collect(length, onReceived, async () => (await reader.read()).value);

/** `next` returns undefined at the end. */
async function collect(
  length: number,
  onReceived: (bytes: number) => void,
  next: () => Promise<Uint8Array | undefined>,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(takeMemory(length));
  let received = 0;
  try {
    for (let piece = await next(); piece; piece = await next()) {
      if (received + piece.length > length) throw new Failure('NETWORK');
      bytes.set(piece, received);
      received += piece.length;
      onReceived(received);
    }
  } catch (cause) {
    if (received === 0 || cause instanceof Failure) throw cause;
  }
  return received === length ? bytes : bytes.slice(0, received);
}

function assertUrl(url: string): void {
  if (!URL.canParse(url)) throw new Failure('INVALID_URL');
}

let spare: ArrayBuffer | undefined;

/**
 * Reuses the memory of an opened chunk for the next one. Fresh memory costs a page fault per 4 KB, and is freed late.
 */
export function takeMemory(length: number): ArrayBuffer {
  const taken = spare?.byteLength === length ? spare : new ArrayBuffer(length);
  spare = undefined;
  return taken;
}

/** The caller must not read it again. */
export function giveMemoryBack(used: ArrayBuffer): void {
  spare = used;
}
