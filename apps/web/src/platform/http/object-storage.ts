// Sends bytes to signed URLs and fetches them, in workers. Uses XHR to send, because only XHR reports upload progress. XHR
// always sends our cookie to our own origin, where the server ignores it for these requests; other stores do not get it. Has no timeouts: the engines have them.
import { Failure, failureOfResponse } from '@furoshiki/api';
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
      return await readExactly(response.body, end - start, onReceived);
    } catch (cause) {
      if (cause instanceof Failure) throw cause;
      throw new Failure(signal.aborted ? 'CANCELLED' : 'NETWORK', {}, { cause });
    }
  },
};

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

/** A body that is too short or too long is a broken connection. */
async function readExactly(
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

/** Reads into one buffer, which is transferred back and forth, so that packets leave no garbage. */
async function readInto(
  reader: ReadableStreamBYOBReader,
  length: number,
  onReceived: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  let buffer = takeMemory(length);
  let received = 0;
  while (received < length) {
    const { done, value } = await reader.read(new Uint8Array(buffer, received, length - received));
    if (done) throw new Failure('NETWORK');
    ({ buffer } = value);
    received += value.length;
    onReceived(received);
  }
  const { done } = await reader.read(new Uint8Array(1));
  if (!done) throw new Failure('NETWORK');
  return new Uint8Array(buffer);
}

async function readPieces(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  length: number,
  onReceived: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  let received = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (received + value.length > length) throw new Failure('NETWORK');
    bytes.set(value, received);
    received += value.length;
    onReceived(received);
  }
  if (received !== length) throw new Failure('NETWORK');
  return bytes;
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
