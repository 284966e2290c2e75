// Sends bytes to signed URLs and fetches them, over connections that are used again. Has no timeouts: the engines have them.
import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { Failure, failureOfResponse } from '@furoshiki/api';
import { type ByteRange, KB } from '@furoshiki/format';
import { parseJson } from '@furoshiki/transfer';
import type { Connections } from './connections.ts';
import { freeBytes } from './parts/buffers.ts';

/** Longer than any error of a store. */
const MAX_ERROR_BYTES = 64 * KB;

/** The engine needs more time for a report than a piece takes. */
const REPORT_EVERY_MS = 20;

/** Bodies that are sent in one piece, instead of one for each of theirs. */
const SMALL_BYTES = 128 * KB;

export interface StreamedBody {
  length: number;
  body: AsyncIterable<Uint8Array>;
}

/** Every call throws a Failure: NETWORK, INVALID_URL, STORAGE_ERROR with its status, DATA_INCOMPLETE, or a code of ours. */
export interface Storage {
  /** Returns the ETag. Calls `onSent` with the number of bytes sent so far. */
  put(url: string, body: StreamedBody, onSent: (bytes: number) => void, signal: AbortSignal): Promise<string>;
  /** Passes on exactly the bytes of the range, in order. */
  get(
    url: string,
    range: ByteRange,
    onPiece: (piece: Uint8Array) => void,
    onReceived: (bytes: number) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** Passes on the bytes of a response with status 200. A piece can be used only until `onPiece` has returned. */
  post(url: string, call: CallForBytes, onPiece: (piece: Uint8Array) => void, signal: AbortSignal): Promise<void>;
}

/** A call of our API whose response is no JSON. */
interface CallForBytes {
  headers: Record<string, string>;
  body: string;
  cookie(): string | null;
}

/** `onProgress` is called whenever bytes move. */
export function createStorage({ open }: Connections, onProgress: () => void): Storage {
  return {
    put: (url, body, onSent, signal) =>
      orFailure(signal, async () => {
        const headers = { 'content-type': 'application/octet-stream', 'content-length': body.length };
        const request = open(url, { method: 'PUT', headers, signal });
        const responded = responseOf(request);
        await Promise.race([send(request, body, (bytes) => (onProgress(), onSent(bytes)), responded), responded]);
        const response = await responded;
        const { statusCode = 0, headers: received } = response;
        if (statusCode !== 200 || received.etag === undefined)
          // A store that has refused the part does not read the rest.
          throw await refusalOf(response).finally(() => request.destroy());
        response.resume();
        return received.etag;
      }),

    get: (url, { start, end, length }, onPiece, onReceived, signal) =>
      orFailure(signal, async () => {
        const request = open(url, { headers: { range: `bytes=${start}-${end - 1}` }, signal });
        request.end();
        const response = await responseOf(request);
        const { statusCode = 0, headers } = response;
        if (statusCode !== 206 && statusCode !== 416) throw await refusalOf(response);
        const announced = headers['content-length'];
        // A store that announces fewer bytes has lost some, so a retry would not help.
        if (statusCode === 416 || (announced !== undefined && Number(announced) !== length)) {
          response.destroy();
          throw new Failure('DATA_INCOMPLETE');
        }
        let received = 0;
        let reportedAtMs = 0;
        // Not `for await`: it costs more for each of thousands of pieces.
        response.on('data', (piece: Buffer) => {
          received += piece.length;
          onProgress();
          if (received > length) return void response.destroy(new Failure('NETWORK'));
          onPiece(piece);
          freeBytes(piece);
          const nowMs = performance.now();
          if (received < length && nowMs - reportedAtMs < REPORT_EVERY_MS) return undefined;
          reportedAtMs = nowMs;
          onReceived(received);
          return undefined;
        });
        await finished(response);
        if (received !== length) throw new Failure('NETWORK');
      }),

    post: (url, { headers, body, cookie }, onPiece, signal) =>
      orFailure(signal, async () => {
        const known = cookie();
        const sent = { 'content-type': 'application/json', accept: 'application/json', ...headers };
        const request = open(url, {
          method: 'POST',
          signal,
          headers: { ...sent, ...(known === null ? {} : { cookie: known }) },
        });
        request.end(body);
        const response = await responseOf(request);
        if (response.statusCode !== 200) throw await refusalOf(response);
        response.on('data', (piece: Buffer) => {
          onProgress();
          try {
            onPiece(piece);
          } catch (error) {
            response.destroy(error as Error);
          }
        });
        await finished(response);
      }),
  };
}

export async function responseOf(request: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

/** If the connection breaks because the store has refused the rest, its response says why. */
async function send(
  request: ClientRequest,
  { length, body }: StreamedBody,
  onSent: (bytes: number) => void,
  responded: Promise<unknown>,
): Promise<void> {
  let sent = 0;
  let stopWaiting: (error: unknown) => void = () => {};
  // The request may end without calling back for a piece that waits. The file would stay open until the memory is collected,
  // which Node treats as an error.
  request.once('close', () => stopWaiting(new Failure('NETWORK')));
  try {
    if (length <= SMALL_BYTES) {
      request.end(Buffer.concat(await piecesOf(body)));
      return onSent(length);
    }
    for await (const piece of body) {
      const error = await new Promise<unknown>((resolve) => {
        stopWaiting = resolve;
        if (request.destroyed) resolve(new Failure('NETWORK'));
        else request.write(piece, resolve);
      });
      if (error) return void (await responded);
      sent += piece.length;
      onSent(sent);
    }
    request.end();
    return undefined;
  } catch (error) {
    // The file could not be read.
    request.destroy();
    throw error;
  }
}

/** Copies: a piece can be used only until the next one is requested. */
async function piecesOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(Uint8Array.from(piece));
  return pieces;
}

/** Our own store sends an error envelope. For any other store the status is all there is. */
async function refusalOf(response: IncomingMessage): Promise<Failure> {
  const { statusCode: status = 0 } = response;
  let text = '';
  for await (const piece of response as AsyncIterable<Buffer>) {
    text += piece.toString();
    if (text.length > MAX_ERROR_BYTES) break;
  }
  const failure = failureOfResponse(status, parseJson(text));
  return failure.code === 'API_ERROR' ? new Failure('STORAGE_ERROR', { status }) : failure;
}

async function orFailure<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure(signal.aborted ? 'CANCELLED' : 'NETWORK', {}, { cause });
  }
}
