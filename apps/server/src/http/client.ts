// Who is asking: the browser's cookie, and the origin under which it reached us.
import { randomBytes } from 'node:crypto';
import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../services/context.ts';
import { hashClientId } from '../signing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    clientId: string;
  }
}

const COOKIE = 'furoshiki';
/** As long as a file can live: a grant must be recognised until its file is gone. */
const COOKIE_SECONDS = 3 * 24 * 3600;

/** Gives every client that comes without a cookie one of its own. */
export function recogniseClients(app: FastifyInstance): void {
  app.decorateRequest('clientId', '');
  app.addHook('onRequest', async (request, reply) => {
    const known = request.cookies[COOKIE];
    request.clientId = known !== undefined && /^[\w-]{22}$/u.test(known) ? known : giveCookie(request, reply);
  });
}

function giveCookie(request: FastifyRequest, reply: FastifyReply): string {
  const clientId = randomBytes(16).toString('base64url');
  reply.setCookie(COOKIE, clientId, {
    path: request.server.basePath === '' ? '/' : request.server.basePath,
    httpOnly: true,
    sameSite: 'strict',
    secure: originOf(request).startsWith('https:'),
    maxAge: COOKIE_SECONDS,
  });
  return clientId;
}

/** PUBLIC_ORIGIN where it is set; otherwise the address that this very request used. */
function originOf(request: FastifyRequest): string {
  return request.server.publicOrigin ?? `${request.protocol}://${request.host}`;
}

export function callerOf(request: FastifyRequest): Caller {
  return {
    clientHash: hashClientId(request.clientId),
    address: normalizeIP(request.ip, 64),
    siteUrl: originOf(request) + request.server.basePath,
  };
}
