// Identifies the client of a request: its cookies, its address, and the site URL that it used.
import { randomBytes } from 'node:crypto';
import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fastifyCookie from '@fastify/cookie';
import { type Caller, NETWORK_FACTOR } from '../services/context.ts';
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

/** A group of addresses that is counted together. It may do `factor` times as much as one client address. */
export interface Network {
  name: string;
  factor: number;
}

/** Calculating the networks of an IPv6 address takes longer than the rest of the limits. */
const cachedNetworks = new Map<string, readonly Network[]>();
const MAX_CACHED_NETWORKS = 10_000;

/**
 * Returns the networks under which an address is counted, the client's own first. A home line with IPv6 has a whole /56 or /48,
 * so that counting each /64 for itself would make it hundreds of clients.
 */
export function networksOf(address: string): readonly Network[] {
  if (!address.includes(':')) return [{ name: address, factor: 1 }];
  const known = cachedNetworks.get(address);
  if (known) return known;
  if (cachedNetworks.size >= MAX_CACHED_NETWORKS) cachedNetworks.clear();
  const own = normalizeIP(address, 64);
  const networks = [{ name: own, factor: 1 }];
  // An IPv4 address in the form of an IPv6 address has no larger network.
  if (own.includes(':'))
    networks.push(
      { name: `${normalizeIP(address, 56)}/56`, factor: 4 },
      { name: `${normalizeIP(address, 48)}/48`, factor: 16 },
    );
  cachedNetworks.set(address, networks);
  return networks;
}

export const addressOf = (request: FastifyRequest): string => networksOf(request.ip)[0]?.name ?? '';

export const callerOf = (request: FastifyRequest): Caller => new RequestCaller(request);

/** Computes address and site URL only when they are read: most calls need neither. */
class RequestCaller implements Caller {
  readonly clientHash: string;
  readonly #request: FastifyRequest;

  constructor(request: FastifyRequest) {
    this.clientHash = hashClientId(request.clientId);
    this.#request = request;
  }

  /** What uploads store is counted by the /56 of an IPv6 address: otherwise one home line could fill the disk. */
  get address(): string {
    const [own, line = own] = networksOf(this.#request.ip);
    return line?.name ?? '';
  }

  get network(): Network | undefined {
    const [, , site] = networksOf(this.#request.ip);
    return site && { name: site.name, factor: NETWORK_FACTOR };
  }

  get siteUrl(): string {
    return siteUrlOf(this.#request);
  }
}

/** A header that has one value. Undefined if it was not sent. */
export function headerOf({ headers }: Pick<FastifyRequest, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** Identifies a client. */
const CLIENT_COOKIE = 'furoshiki';
/** The pass of people who have signed in to send. */
export const UPLOAD_PASS_COOKIE = 'furoshiki-pass';

/** Browsers accept this prefix only over https, for this host alone and for its root: no other site can plant such a cookie. */
const HOST_PREFIX = '__Host-';

/** Must be called before the first route is added. */
export async function handleCookies(app: FastifyInstance): Promise<void> {
  // Only its parser and serializer are used: its request hook would parse the cookies of every request.
  await app.register(fastifyCookie, { hook: false });
}

/**
 * Returns undefined if there is no such cookie. Another site could plant a cookie with the plain name, so it counts only if
 * there is none with the prefix: older versions, plain HTTP and a base path have only the plain name.
 */
export function readCookie({ headers, server }: FastifyRequest, name: string): string | undefined {
  if (headers.cookie === undefined) return undefined;
  const cookies = server.parseCookie(headers.cookie);
  return cookies[HOST_PREFIX + name] ?? cookies[name];
}

/** No script and no other site can use the cookie. */
export function setCookie(request: FastifyRequest, reply: FastifyReply, name: string, value: string, seconds: number) {
  const path = request.server.basePath === '' ? '/' : request.server.basePath;
  const secure = originOf(request).startsWith('https:');
  const fullName = secure && path === '/' ? HOST_PREFIX + name : name;
  const attributes = { maxAge: seconds, path, httpOnly: true, sameSite: 'strict', secure } as const;
  reply.header('set-cookie', request.server.serializeCookie(fullName, value, attributes));
}

/** Returns PUBLIC_ORIGIN if it is set, or else the origin that this request used. HTTP/1.0 may name no host. */
function originOf(request: FastifyRequest): string {
  return request.server.publicOrigin ?? `${request.protocol}://${request.host || 'localhost'}`;
}
