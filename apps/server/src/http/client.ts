// Identifies the client of a request: its cookie, its address, and the site URL that it used.
import { randomBytes } from 'node:crypto';
import fastifyCookie from '@fastify/cookie';
import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../services/context.ts';
import { hashClientId } from '../signing.ts';

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
const COOKIE_NAME = 'furoshiki';
/** Browsers accept this name only over https, for this host alone and for its root: no other site can plant such a cookie. */
const HOST_COOKIE_NAME = `__Host-${COOKIE_NAME}`;
const CLIENT_ID = /^[\w-]{22}$/u;

/** Sets `request.clientId` from the cookie. A client without a valid cookie gets a new one. */
export async function identifyClients(app: FastifyInstance): Promise<void> {
  // Only its parser and serializer are used: its request hook would do the same work a second time.
  await app.register(fastifyCookie, { hook: false });
  const path = app.basePath === '' ? '/' : app.basePath;
  const attributes = { maxAge: COOKIE_SECONDS, path, httpOnly: true, sameSite: 'strict' } as const;
  app.decorateRequest('clientId', '');
  app.addHook('onRequest', (request, reply, done) => {
    const given = clientIdOf(request);
    request.clientId = given ?? randomBytes(16).toString('base64url');
    // On a navigation from another site the browser withholds its SameSite cookie. A new cookie would replace it.
    const mayHaveCookie = request.headers['sec-fetch-site'] === 'cross-site';
    if (given === undefined ? !mayHaveCookie : request.routeOptions.config.renewsCookie) {
      const secure = originOf(request).startsWith('https:');
      const name = secure && path === '/' ? HOST_COOKIE_NAME : COOKIE_NAME;
      reply.header('set-cookie', app.serializeCookie(name, request.clientId, { ...attributes, secure }));
    }
    done();
  });
}

/**
 * Returns undefined if there is no cookie of ours, or a malformed one. Another site could plant a cookie with the plain name,
 * so it counts only if there is no `__Host-` cookie: older versions, plain HTTP and a base path have only the plain name.
 */
function clientIdOf({ headers, server }: FastifyRequest): string | undefined {
  if (headers.cookie === undefined) return undefined;
  const { [HOST_COOKIE_NAME]: hostCookie, [COOKIE_NAME]: plainCookie } = server.parseCookie(headers.cookie);
  const clientId = hostCookie ?? plainCookie;
  return clientId !== undefined && CLIENT_ID.test(clientId) ? clientId : undefined;
}

/** Returns PUBLIC_ORIGIN if it is set, or else the origin that this request used. HTTP/1.0 may name no host. */
function originOf(request: FastifyRequest): string {
  return request.server.publicOrigin ?? `${request.protocol}://${request.host || 'localhost'}`;
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
