// Responses to what is no request for Fastify: bytes that are not HTTP, timeouts, and CONNECT. There is only a socket.
import { STATUS_CODES } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import { API_ERROR_STATUS, type ApiErrorCode } from '@furoshiki/core';
import { preferredLanguage } from '@furoshiki/locales';
import { messages } from '@furoshiki/locales/messages';
import type { ConnectionError, FastifyInstance } from 'fastify';
import { ERROR_PAGE_HEADERS, ERROR_VARY, errorPage, prefersPage } from './error-page.ts';

type Headers = Record<string, string>;

const NOT_IMPLEMENTED = 501;
const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/1\.[01]\r?\n/u;

export function respondToBrokenRequest(basePath: string) {
  return (error: ConnectionError, socket: Socket): void => {
    // It is a buffer, and missing of a timeout.
    const packet = (error.rawPacket as unknown as Buffer | undefined)?.toString('latin1') ?? '';
    // Clients retry a 408 without an error code.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') endWith(socket, 408);
    else if (error.code === 'HPE_INVALID_METHOD' && REQUEST_LINE.test(packet)) endWith(socket, NOT_IMPLEMENTED);
    else endWithError(socket, codeOf(error, packet), packet, basePath);
  };
}

/** This server is no proxy. */
export function refuseTunnels(app: FastifyInstance): void {
  app.server.on('connect', (_request, target: Socket | Http2ServerResponse) => {
    if ('writeHead' in target) {
      target.writeHead(NOT_IMPLEMENTED).end();
      return;
    }
    // Node has removed its own listener. An error that nobody listens to would end the process.
    target.on('error', () => undefined);
    endWith(target, NOT_IMPLEMENTED);
  });
}

function codeOf({ code, bytesParsed }: ConnectionError, packet: string): ApiErrorCode {
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 'BODY_TOO_LARGE';
  if (code !== 'HPE_HEADER_OVERFLOW') return 'VALIDATION_FAILED';
  return isInRequestLine(packet, bytesParsed ?? 0) ? 'URI_TOO_LONG' : 'HEADERS_TOO_LARGE';
}

/** The packet is the last one that arrived. Of an address that came in several, only the last one tells the end. */
function isInRequestLine(packet: string, parsed: number): boolean {
  if (packet.slice(0, parsed).includes('\n')) return false;
  return /^[A-Z-]+ /u.test(packet) || / HTTP\/1\.[01]\r?$/u.test(packet.slice(parsed).split('\n', 1)[0] ?? '');
}

function endWithError(socket: Socket, code: ApiErrorCode, packet: string, basePath: string): void {
  const language = preferredLanguage(headerIn(packet, 'accept-language'));
  const text = messages[language].apiErrors[code];
  const headers = { 'cache-control': 'no-store', vary: ERROR_VARY, 'x-content-type-options': 'nosniff' };
  if (prefersPage(headerIn(packet, 'accept')))
    endWith(socket, API_ERROR_STATUS[code], { ...headers, ...ERROR_PAGE_HEADERS }, errorPage(code, language, basePath));
  else
    endWith(
      socket,
      API_ERROR_STATUS[code],
      { ...headers, 'content-type': 'application/json; charset=utf-8' },
      JSON.stringify({ errorCode: code, error: text, message: text }),
    );
}

function headerIn(packet: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*)$`, 'imu').exec(packet)?.[1];
}

function endWith(socket: Socket, status: number, headers: Headers = {}, body = ''): void {
  // A client can send garbage while it receives a response. What we write now would become a part of that.
  const { _httpMessage: running } = socket as { _httpMessage?: { headersSent: boolean } | null };
  if (socket.writable && !running?.headersSent) {
    const all = {
      date: new Date().toUTCString(),
      connection: 'close',
      ...headers,
      'content-length': Buffer.byteLength(body),
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    socket.write([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
  }
  socket.destroySoon();
}
