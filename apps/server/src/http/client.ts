// Identifies the client of a request: its cookie, its address, and the site URL that it used.
import { randomBytes } from 'node:crypto';
import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../services/context.ts';
import { hashClientId } from '../signing.ts';
import { CLIENT_COOKIE, originOf, readCookie, setCookie } from './cookies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    clientId: string;
  }
  interface FastifyContextConfig {
    /** The response binds something to the cookie, so the cookie starts a new lifetime. */
    renewsCookie?: boolean;
  }
}

/** The longest retention period: a client with a grant must be recognised until the file is removed. */
const COOKIE_SECONDS = 3 * 24 * 3600;
const CLIENT_ID = /^[\w-]{22}$/u;

/** Sets `request.clientId` from the cookie. A client without a valid cookie gets a new one. */
export function identifyClients(app: FastifyInstance): void {
  app.decorateRequest('clientId', '');
  app.addHook('onRequest', (request, reply, done) => {
    const given = clientIdOf(request);
    request.clientId = given ?? randomBytes(16).toString('base64url');
    // On a navigation from another site the browser withholds its SameSite cookie. A new cookie would replace it.
    const mayHaveCookie = request.headers['sec-fetch-site'] === 'cross-site';
    if (given === undefined ? !mayHaveCookie : request.routeOptions.config.renewsCookie)
      setCookie(request, reply, CLIENT_COOKIE, request.clientId, COOKIE_SECONDS);
    done();
  });
}

/** Returns undefined if there is no cookie of ours, or a malformed one. */
function clientIdOf(request: FastifyRequest): string | undefined {
  const clientId = readCookie(request, CLIENT_COOKIE);
  return clientId !== undefined && CLIENT_ID.test(clientId) ? clientId : undefined;
}

/** Returns the origin and the base path of the site. */
export function siteUrlOf(request: FastifyRequest): string {
  return originOf(request) + request.server.basePath;
}

/** Returns the address that limits count: for IPv6, the network of the client. */
export const countedAddress = (address: string): string => normalizeIP(address, 64);

export const addressOf = (request: FastifyRequest): string => countedAddress(request.ip);

export const callerOf = (request: FastifyRequest): Caller => new RequestCaller(request);

/** Computes address and site URL only when they are read: most calls need neither. */
class RequestCaller implements Caller {
  readonly clientHash: string;
  readonly #request: FastifyRequest;

  constructor(request: FastifyRequest) {
    this.clientHash = hashClientId(request.clientId);
    this.#request = request;
  }

  get address(): string {
    return addressOf(this.#request);
  }

  get siteUrl(): string {
    return siteUrlOf(this.#request);
  }
}
