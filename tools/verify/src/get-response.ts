// Requests one address as a browser would, and reads the whole response, up to a limit. Follows no redirect. Not fetch, nor a
// library, because they hide what is verified: early responses, headers that are sent twice, and the encoding of the body.
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { pipeline, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { MB } from '@furoshiki/format';

/** Far more than any file of a release has. */
const MAX_BODY_BYTES = 20 * MB;
const REQUEST_MS = 30_000;

const DECODERS: Record<string, () => Transform> = {
  gzip: zlib.createGunzip,
  'x-gzip': zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  // Node 20 lacks it. There, a response in this encoding cannot be read.
  ...('createZstdDecompress' in zlib && { zstd: zlib.createZstdDecompress }),
};

export interface RequestLimits {
  connections: number;
  maxBytes?: number;
  requestMs?: number;
}

export function createGetResponse({
  connections,
  maxBytes = MAX_BODY_BYTES,
  requestMs = REQUEST_MS,
}: RequestLimits): GetResponse {
  const options = { keepAlive: true, maxSockets: connections };
  const agents = { http: new http.Agent(options), https: new https.Agent(options) };

  return async (address, headers, stop) => {
    const url = new URL(address);
    const timeout = AbortSignal.timeout(requestMs);
    const signal = AbortSignal.any([stop, timeout]);
    try {
      // As a list, they are sent in this order and case. Host is the first header of every browser.
      const lines = Object.entries({ Host: url.host, ...headers }).flat();
      const request =
        url.protocol === 'https:'
          ? https.get(url, { headers: lines, agent: agents.https, signal })
          : http.get(url, { headers: lines, agent: agents.http, signal });
      const early: [string, string][] = [];
      // Browsers load what an early response links to.
      request.on('information', ({ rawHeaders }) => early.push(...pairsOf(rawHeaders)));
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      return {
        status: response.statusCode ?? 0,
        headers: [...early, ...pairsOf(response.rawHeaders)],
        body: await readBody(response, maxBytes),
      };
    } catch (thrown) {
      stop.throwIfAborted();
      return { unreachable: timeout.aborted ? TIMEOUT : codeOf(thrown) };
    }
  };
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<ReceivedResponse['body']> {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const isPlain = encoding === 'identity' || encoding === '';
  const decoder = isPlain ? undefined : Object.hasOwn(DECODERS, encoding) && DECODERS[encoding]?.();
  if (decoder === false) {
    response.destroy();
    return 'unreadable';
  }
  // The error of a broken connection is that of the response: the decoder reports it too, as data that ends early.
  let broken: unknown;
  response.on('error', (error) => (broken = error));
  const decoded = decoder ? pipeline(response, decoder, () => undefined) : response;
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of decoded as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > maxBytes) return 'tooLarge';
      pieces.push(piece);
    }
  } catch (thrown) {
    if (broken !== undefined || !decoder) throw broken ?? thrown;
    return 'unreadable';
  }
  return Buffer.concat(pieces);
}

/** Names in lower case. Node's own object joins some headers and drops others that are sent twice. */
function pairsOf(words: readonly string[]): [string, string][] {
  return Array.from({ length: words.length / 2 }, (_, index) => [
    (words[2 * index] ?? '').toLowerCase(),
    words[2 * index + 1] ?? '',
  ]);
}

function codeOf(thrown: unknown): string {
  const { code, message } = thrown as NodeJS.ErrnoException;
  return code ?? message;
}

export interface ReceivedResponse {
  status: number;
  /** As received, in order, with names in lower case. */
  headers: readonly (readonly [string, string])[];
  /** Decoded. `unreadable`: not encoded as the headers say. */
  body: Buffer | 'tooLarge' | 'unreadable';
}

export const TIMEOUT = 'TIMEOUT';

/** A code such as ECONNREFUSED, TIMEOUT or 503. */
export interface Unreachable {
  unreachable: string;
}

/** Rejects only if `stop` is aborted. */
export type GetResponse = (
  url: string,
  headers: Record<string, string>,
  stop: AbortSignal,
) => Promise<ReceivedResponse | Unreachable>;

export function valuesOf({ headers }: ReceivedResponse, name: string): string[] {
  return headers.filter(([key]) => key === name).map(([, value]) => value);
}
