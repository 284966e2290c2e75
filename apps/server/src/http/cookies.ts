// Reads and writes our cookies: what all of them have in common.
import fastifyCookie from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Identifies a client. */
export const CLIENT_COOKIE = 'furoshiki';
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
export function originOf(request: FastifyRequest): string {
  return request.server.publicOrigin ?? `${request.protocol}://${request.host || 'localhost'}`;
}
