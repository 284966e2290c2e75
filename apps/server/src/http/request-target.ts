// The target and the method of a request: every form of a target is brought into a path without BASE_PATH, its host must be
// one, and a method that the path does not have is refused.
import type { IncomingMessage } from 'node:http';
import { API_PREFIX, Failure } from '@furoshiki/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendError } from './error-responses.ts';

/**
 * Brings every form of a request's target into the one that routes have: a path without BASE_PATH. Where the signed
 * files are. Browsers look for them at the root of the origin, whatever the base path is.
 */
export const WEBCAT_PREFIX = '/.well-known/webcat/';
/** No route has this path: every URL outside of the base path gets the API's 404. */
const UNKNOWN_PATH = `${API_PREFIX}/unknown`;
/** The router refuses it: it cannot be decoded. */
const MALFORMED_PATH = '/%';
/** Clients send a whole URL to a proxy, and a server must accept it too. */
const WHOLE_URL = /^https?:\/\/([^/?#]*)/iu;

export function routedPath(basePath: string) {
  return ({ method, url = '/' }: Pick<IncomingMessage, 'method' | 'url'>): string => {
    // About the server and not about a path. The handler reads it from `originalUrl`.
    if (url === '*' && method === 'OPTIONS') return UNKNOWN_PATH;
    const path = url.startsWith('/') ? url : url.replace(WHOLE_URL, '');
    if (path === url && !url.startsWith('/')) return MALFORMED_PATH;
    if (path.startsWith(WEBCAT_PREFIX)) return path;
    if (!path.startsWith(basePath)) return UNKNOWN_PATH;
    const rest = path.slice(basePath.length);
    if (rest === '' || rest.startsWith('?')) return `/${rest}`;
    return rest.startsWith('/') ? rest : UNKNOWN_PATH;
  };
}

/** Returns the host and the port of a target that is a whole URL. */
const authorityOf = (target: string): string | undefined => WHOLE_URL.exec(target)?.[1];

/** A name (253 characters at most) or an address, and a port. Its characters are harmless in HTML, XML and URLs. */
const ORIGIN = /^https?:\/\/(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::(\d{0,5}))?$/iu;
const MAX_PORT = 65_535;

/**
 * Refuses requests whose Host header is not the address of a host, as HTTP demands: links, pages and URLs contain it.
 */
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

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns the methods of a path, and of the whole server for `*`. None: no route has this path. */
    methodsAt(path: string): Set<string>;
  }
}

/**
 * The methods of each path, from the routes: for Allow, which HTTP requires in a 405 and in the response to OPTIONS.
 * Must be called before the first route is added.
 */
export function collectMethods(app: FastifyInstance): void {
  const fixed = new Map<string, Set<string>>();
  const patterns = new Map<string, { matches: RegExp; methods: Set<string> }>();
  const all = new Set<string>();
  function methodsOf(url: string): Set<string> {
    const parts = url.split(/:\w+/u);
    const known = parts.length === 1 ? fixed.get(url) : patterns.get(url)?.methods;
    if (known) return known;
    const methods = new Set<string>();
    if (parts.length === 1) fixed.set(url, methods);
    else patterns.set(url, { matches: new RegExp(`^${parts.map(escaped).join('[^/]+')}$`, 'u'), methods });
    return methods;
  }
  app.addHook('onRoute', ({ url, method }) => {
    for (const name of [method].flat()) {
      methodsOf(url).add(name);
      all.add(name);
    }
  });
  app.decorate('methodsAt', (path) => {
    if (path === '*') return all;
    // As the router does it. It has refused a path that cannot be decoded.
    const decoded = decodeURI(path);
    const matching = [...patterns.values()].filter(({ matches }) => matches.test(decoded));
    return new Set([...(fixed.get(decoded) ?? []), ...matching.flatMap(({ methods }) => [...methods])]);
  });
}

const escaped = (text: string) => text.replaceAll(/[^\w/-]/gu, String.raw`\$&`);

/**
 * Responds to a method that the path does not have. OPTIONS is answered because it costs nothing and says what is allowed;
 * without CORS headers, browsers still keep pages of other sites out.
 */
export function sendOtherMethod(request: FastifyRequest, reply: FastifyReply, methods: Set<string>) {
  reply.header('allow', [...new Set([...methods, 'OPTIONS'])].toSorted().join(', '));
  if (request.method === 'OPTIONS') return reply.status(204).send();
  return sendError(request, reply, 'METHOD_NOT_ALLOWED');
}
