// Refuses requests whose Host header is not the address of a host, as HTTP demands: links, pages and URLs contain it.
import { Failure } from '@furoshiki/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authorityOf } from './base-path.ts';

/** A name (253 characters at most) or an address, and a port. Its characters are harmless in HTML, XML and URLs. */
const ORIGIN = /^https?:\/\/(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::(\d{0,5}))?$/iu;
const MAX_PORT = 65_535;

export function checkHosts(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    done(hasOneHost(request) ? undefined : new Failure('VALIDATION_FAILED', { field: 'headers.host' }));
  });
}

/** A proxy that is trusted may replace host and scheme, so these are checked as they will be used. */
function hasOneHost(request: FastifyRequest): boolean {
  const { protocol, host, raw } = request;
  // Only HTTP/1.0 allows a request without a host.
  if (host === '') return raw.headers.host === undefined && raw.httpVersion === '1.0';
  const match = ORIGIN.exec(`${protocol}://${host}`);
  if (!match || Number(match[1] ?? 0) > MAX_PORT) return false;
  // Node drops all but the first line of this name.
  let lines = 0;
  for (let i = 0; i < raw.rawHeaders.length; i += 2) if (isHost(raw.rawHeaders[i])) lines += 1;
  return lines <= 1 && !isContradicted(request);
}

/** The length is compared first because this runs for every header of every request. */
const isHost = (name = '') => name.length === 4 && name.toLowerCase() === 'host';

/** The target of a request can name a host as well: in HTTP/2 always, in HTTP/1.1 if it is a whole URL. */
function isContradicted({ raw, originalUrl }: FastifyRequest): boolean {
  const { host, ':authority': authority = authorityOf(originalUrl) } = raw.headers;
  return host !== undefined && authority !== undefined && host.toLowerCase() !== String(authority).toLowerCase();
}
