// Sends bytes to signed URLs and fetches them, over connections that are used again. Has no timeouts: the engines have them.
import { once } from 'node:events';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { Failure, failureOfResponse, KB } from '@furoshiki/core';
import { type ObjectStorage, parseJson } from '@furoshiki/transfer';

type Bytes = Uint8Array<ArrayBuffer>;

/** Progress is reported after each piece of this size. */
const PIECE_BYTES = 512 * KB;
/** Longer than any error of a store. */
const MAX_ERROR_BYTES = 64 * KB;

export function createObjectStorage(): ObjectStorage<Bytes[]> {
  const agents = { 'http:': new http.Agent({ keepAlive: true }), 'https:': new https.Agent({ keepAlive: true }) };

  function open(address: string, options: http.RequestOptions): ClientRequest {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (url?.protocol === 'http:') return http.request(url, { ...options, agent: agents['http:'] });
    if (url?.protocol === 'https:') return https.request(url, { ...options, agent: agents['https:'] });
    throw new Failure('INVALID_URL');
  }

  return {
    put: (url, body, onSent, signal) =>
      orFailure(signal, async () => {
        const length = body.reduce((sum, piece) => sum + piece.length, 0);
        const headers = { 'content-type': 'application/octet-stream', 'content-length': length };
        const request = open(url, { method: 'PUT', headers, signal });
        const responded = responseOf(request);
        await Promise.race([send(request, body, onSent), responded]);
        const response = await responded;
        const { statusCode = 0, headers: received } = response;
        if (statusCode !== 200 || received.etag === undefined) throw await refusalOf(response);
        response.resume();
        return received.etag;
      }),

    getRange: (url, start, end, onReceived, signal) =>
      orFailure(signal, async () => {
        const request = open(url, { headers: { range: `bytes=${start}-${end - 1}` }, signal });
        request.end();
        const response = await responseOf(request);
        const { statusCode = 0, headers } = response;
        if (statusCode !== 206 && statusCode !== 416) throw await refusalOf(response);
        const announced = headers['content-length'];
        // A store that announces fewer bytes has lost some, so a retry would not help.
        if (statusCode === 416 || (announced !== undefined && Number(announced) !== end - start)) {
          response.destroy();
          throw new Failure('DATA_INCOMPLETE');
        }
        return readExactly(response, end - start, onReceived);
      }),
  };
}

async function responseOf(request: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

/** Also resolves if the response comes before the last byte: then the store has refused the rest. */
async function send(request: ClientRequest, body: Bytes[], onSent: (bytes: number) => void): Promise<void> {
  let sent = 0;
  for (const bytes of body) {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      await new Promise<void>((resolve, reject) => {
        request.write(piece, (error) => (error ? reject(error) : resolve()));
      });
      sent += piece.length;
      onSent(sent);
    }
  }
  request.end();
}

async function readExactly(
  response: IncomingMessage,
  length: number,
  onReceived: (bytes: number) => void,
): Promise<Bytes> {
  const bytes = new Uint8Array(length);
  let received = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    if (received + piece.length > length) throw new Failure('NETWORK');
    bytes.set(piece, received);
    received += piece.length;
    onReceived(received);
  }
  if (received !== length) throw new Failure('NETWORK');
  return bytes;
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
