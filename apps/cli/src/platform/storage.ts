// Sends bytes to signed URLs and fetches them, over connections that are used again. Has no timeouts: the engines have them.
import { once } from 'node:events';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { finished } from 'node:stream/promises';
import { Failure, failureOfResponse } from '@furoshiki/api';
import { type ByteRange, KB } from '@furoshiki/format';
import { parseJson } from '@furoshiki/transfer';
import { freeBytes } from './parts/buffers.ts';

/** Longer than any error of a store. */
const MAX_ERROR_BYTES = 64 * KB;

/** The engine needs more time for a report than a piece takes. */
const REPORT_EVERY_MS = 20;
/** Connections read into memory that is used again. Larger than this, it is no longer in the cache of the processor. */
const READ_BYTES = 64 * KB;

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
}

export function createStorage(): Storage {
  const agents = {
    'http:': withOwnBuffers(new http.Agent({ keepAlive: true })),
    'https:': withOwnBuffers(new https.Agent({ keepAlive: true })),
  };

  function open(address: string, options: http.RequestOptions): ClientRequest {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (url?.protocol === 'http:') return http.request(url, { ...options, agent: agents['http:'] });
    if (url?.protocol === 'https:') return https.request(url, { ...options, agent: agents['https:'] });
    throw new Failure('INVALID_URL');
  }

  return {
    put: (url, { length, body }, onSent, signal) =>
      orFailure(signal, async () => {
        const headers = { 'content-type': 'application/octet-stream', 'content-length': length };
        const request = open(url, { method: 'PUT', headers, signal });
        const responded = responseOf(request);
        await Promise.race([send(request, body, onSent, responded), responded]);
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
  };
}

async function responseOf(request: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

/** If the connection breaks because the store has refused the rest, its response says why. */
async function send(
  request: ClientRequest,
  body: AsyncIterable<Uint8Array>,
  onSent: (bytes: number) => void,
  responded: Promise<unknown>,
): Promise<void> {
  let sent = 0;
  let stopWaiting: (error: unknown) => void = () => {};
  // The request may end without calling back for a piece that waits. The file would stay open until the memory is collected,
  // which Node treats as an error.
  request.once('close', () => stopWaiting(new Failure('NETWORK')));
  try {
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
  } catch (error) {
    // The file could not be read.
    request.destroy();
    throw error;
  }
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

/**
 * Node allocates memory for each read. Here each connection has its own: the parser of HTTP copies what it passes on. An agent has
 * no option for it, and neither has a library over it: only createConnection gets to the options of the socket.
 */
function withOwnBuffers<A extends http.Agent>(agent: A): A {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, done) => {
    const onread = {
      buffer: Buffer.allocUnsafeSlow(READ_BYTES),
      callback(length: number, buffer: Uint8Array) {
        socket?.emit('data', buffer.subarray(0, length));
        return true;
      },
    };
    const socket = connect({ ...options, onread } as typeof options, done);
    return socket;
  };
  return agent;
}
