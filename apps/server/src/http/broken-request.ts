// Responses to what is no request for Fastify: bytes that are not HTTP, timeouts, and CONNECT. There is only a socket.
import { STATUS_CODES } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import { API_ERROR_STATUS, type ApiErrorCode } from '@furoshiki/api';
import { preferredLanguage } from '@furoshiki/texts';
import { messages } from '@furoshiki/texts/messages';
import type { ConnectionError, FastifyInstance } from 'fastify';
import { ERROR_VARY, errorPage, prefersPage } from './error-responses.ts';

type Headers = Record<string, string>;

interface Site {
  basePath: string;
  /** The Content-Security-Policy of the pages. */
  policy: string;
}

const NOT_IMPLEMENTED = 501;
const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/1\.[01]\r?\n/u;

export function respondToBrokenRequest(site: Site) {
  return (error: ConnectionError, socket: Socket): void => {
    // It is a buffer, and missing of a timeout.
    const packet = (error.rawPacket as unknown as Buffer | undefined)?.toString('latin1') ?? '';
    // Clients retry a 408 without an error code.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') endWith(socket, site, 408);
    else if (error.code === 'HPE_INVALID_METHOD' && REQUEST_LINE.test(packet)) endWith(socket, site, NOT_IMPLEMENTED);
    else endWithError(socket, site, codeOf(error, packet), packet);
  };
}

/** This server is no proxy. */
export function refuseTunnels(app: FastifyInstance, site: Site): void {
  app.server.on('connect', (_request, target: Socket | Http2ServerResponse) => {
    if ('writeHead' in target) {
      target.writeHead(NOT_IMPLEMENTED, { 'content-security-policy': site.policy }).end();
      return;
    }
    // Node has removed its own listener. An error without a listener would end the process.
    target.on('error', () => undefined);
    endWith(target, site, NOT_IMPLEMENTED);
  });
}

function codeOf({ code, bytesParsed }: ConnectionError, packet: string): ApiErrorCode {
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 'BODY_TOO_LARGE';
  if (code !== 'HPE_HEADER_OVERFLOW') return 'VALIDATION_FAILED';
  return isInRequestLine(packet, bytesParsed ?? 0) ? 'URI_TOO_LONG' : 'HEADERS_TOO_LARGE';
}

/** The packet is the last one that arrived. Of an address that came in several packets, only the last one contains the end. */
function isInRequestLine(packet: string, parsed: number): boolean {
  if (packet.slice(0, parsed).includes('\n')) return false;
  return /^[A-Z-]+ /u.test(packet) || / HTTP\/1\.[01]\r?$/u.test(packet.slice(parsed).split('\n', 1)[0] ?? '');
}

function endWithError(socket: Socket, site: Site, code: ApiErrorCode, packet: string): void {
  const language = preferredLanguage(headerIn(packet, 'accept-language'));
  const text = messages[language].apiErrors[code];
  const [type, body] = prefersPage(headerIn(packet, 'accept'))
    ? ['text/html', errorPage(code, language, site.basePath)]
    : ['application/json', JSON.stringify({ errorCode: code, error: text, message: text })];
  const headers = {
    'cache-control': 'no-store',
    'content-type': `${type}; charset=utf-8`,
    vary: ERROR_VARY,
    'x-content-type-options': 'nosniff',
  };
  endWith(socket, site, API_ERROR_STATUS[code], headers, body);
}

function headerIn(packet: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*)$`, 'imu').exec(packet)?.[1];
}

function endWith(socket: Socket, { policy }: Site, status: number, headers: Headers = {}, body = ''): void {
  // A client can send garbage while it receives a response. What we write now would become a part of that. Node's public API
  // does not lead from a socket to its response, and a list of our own would cost time in every request.
  const { _httpMessage: running } = socket as { _httpMessage?: { headersSent: boolean } | null };
  if (socket.writable && !running?.headersSent) {
    const all = {
      date: new Date().toUTCString(),
      connection: 'close',
      'content-security-policy': policy,
      ...headers,
      'content-length': Buffer.byteLength(body),
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    socket.write([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
  }
  socket.destroySoon();
}
