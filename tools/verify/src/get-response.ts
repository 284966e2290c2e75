// Requests one address as a browser would, over HTTP/2 if the server has it, and reads the whole response, up to a limit. Follows no
// redirect. Not fetch, nor a library, because they hide what is verified: early responses, headers that are sent twice, and the encoding
// of the body.
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import http2, { type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import https from 'node:https';
import { isIP } from 'node:net';
import { pipeline, type Readable, type Transform } from 'node:stream';
import tls from 'node:tls';
import * as zlib from 'node:zlib';
import { MB } from '@furoshiki/format';
import { http1Headers, http2Headers } from './browser-requests.ts';

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
  /** How to connect: certificates to trust, and proxies. */
  agent?: https.AgentOptions;
  maxBytes?: number;
  requestMs?: number;
}

export function createGetResponse({
  connections,
  agent = {},
  maxBytes = MAX_BODY_BYTES,
  requestMs = REQUEST_MS,
}: RequestLimits): GetResponse {
  // Browsers offer both, also to servers that have only one.
  const options = { ...agent, ALPNProtocols: PROTOCOLS, keepAlive: true, maxSockets: connections };
  const agents = { http: new http.Agent(options), https: new https.Agent(options) };
  const sessions = createSessions(agent);
  let openRequests = 0;

  return async (address, headers, stop) => {
    const url = new URL(address);
    const timeout = AbortSignal.timeout(requestMs);
    const signal = AbortSignal.any([stop, timeout]);
    try {
      const session = await sessions.get(url, signal);
      return session ? await overHttp2(session, url, headers, signal) : await overHttp1(url, headers, signal);
    } catch (thrown) {
      stop.throwIfAborted();
      return { unreachable: timeout.aborted ? TIMEOUT : codeOf(thrown) };
    }
  };

  async function overHttp1(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<ReceivedResponse> {
    // As a list, they are sent in this order and case. Host is the first header of every browser.
    const lines = Object.entries(http1Headers(headers, url)).flat();
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
      body: await readBody(response, response.headers['content-encoding'], maxBytes),
    };
  }

  async function overHttp2(
    session: ClientHttp2Session,
    url: URL,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<ReceivedResponse> {
    openRequests += 1;
    session.ref();
    try {
      return await receiveOverHttp2(session.request(http2Headers(headers, url), { signal }));
    } finally {
      openRequests -= 1;
      // An idle connection does not keep the program running.
      if (openRequests === 0) session.unref();
    }
  }

  async function receiveOverHttp2(request: ClientHttp2Stream): Promise<ReceivedResponse> {
    const early: [string, string][] = [];
    request.on('headers', (_headers, _flags, raw) => early.push(...pairsOf(raw)));
    const [fields, , raw] = (await once(request, 'response')) as [http2.IncomingHttpHeaders, number, string[]];
    const isField = ([name]: [string, string]) => !name.startsWith(':');
    return {
      status: Number(fields[':status']),
      headers: [...early, ...pairsOf(raw)].filter(isField),
      body: await readBody(request, fields['content-encoding'], maxBytes),
    };
  }
}

const PROTOCOLS = ['h2', 'http/1.1'];

/** One connection for each server with HTTP/2, as browsers have. Through a proxy, there is none. */
function createSessions(agent: https.AgentOptions) {
  const sessions = new Map<string, Promise<ClientHttp2Session | undefined>>();
  async function connect(
    { origin, hostname, port }: URL,
    signal: AbortSignal,
  ): Promise<ClientHttp2Session | undefined> {
    const host = hostname.replace(/^\[|\]$/gu, '');
    const serverName = isIP(host) === 0 ? { servername: host } : {};
    const target = { ...agent, ...serverName, host, port: Number(port || 443), ALPNProtocols: PROTOCOLS };
    const socket = tls.connect(target);
    try {
      await once(socket, 'secureConnect', { signal });
    } catch (thrown) {
      socket.destroy();
      throw thrown;
    }
    if (socket.alpnProtocol !== 'h2') {
      socket.destroy();
      return undefined;
    }
    const session = http2.connect(origin, { createConnection: () => socket });
    const forget = () => sessions.delete(origin);
    // Requests report errors themselves.
    session.on('error', forget).on('close', forget).on('goaway', forget);
    return session;
  }
  return {
    async get(url: URL, signal: AbortSignal): Promise<ClientHttp2Session | undefined> {
      if (url.protocol !== 'https:' || 'proxyEnv' in agent) return undefined;
      const { origin } = url;
      const session = sessions.get(origin) ?? connect(url, signal);
      sessions.set(origin, session);
      session.catch(() => sessions.delete(origin));
      return session;
    },
  };
}

async function readBody(
  response: Readable,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<ReceivedResponse['body']> {
  const encoding = contentEncoding?.trim().toLowerCase() ?? 'identity';
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
