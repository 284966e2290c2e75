// Who is asking: the browser's cookie, and the origin under which it reached us.
import { randomBytes } from 'node:crypto';
import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../services/context.ts';
import { hashClientId } from '../signing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    clientId: string;
  }
  interface FastifyContextConfig {
    /** This answer binds something to the cookie, which therefore has to outlive it. */
    renewsCookie?: boolean;
  }
}

/** As long as a file can live: a grant must be recognised until its file is gone. */
const COOKIE_SECONDS = 3 * 24 * 3600;
const OUR_COOKIE = /(?:^|;) *furoshiki=([\w-]{22})(?:;|$)/u;

/** Gives every client a cookie of its own, and renews it where something is bound to it. */
export function identifyClients(app: FastifyInstance): void {
  const path = app.basePath === '' ? '/' : app.basePath;
  const attributes = `; Max-Age=${COOKIE_SECONDS}; Path=${path}; HttpOnly; SameSite=Strict`;
  app.decorateRequest('clientId', '');
  app.addHook('onRequest', (request, reply, done) => {
    const given = OUR_COOKIE.exec(request.headers.cookie ?? '')?.[1];
    request.clientId = given ?? randomBytes(16).toString('base64url');
    // Whom another site led here may have a cookie: the browser withholds it, and would put ours in its place.
    const mayHaveAnother = request.headers['sec-fetch-site'] === 'cross-site';
    if (given === undefined ? !mayHaveAnother : request.routeOptions.config.renewsCookie) {
      const secure = originOf(request).startsWith('https:') ? '; Secure' : '';
      reply.header('set-cookie', `furoshiki=${request.clientId}${attributes}${secure}`);
    }
    done();
  });
}

/** PUBLIC_ORIGIN where it is set; otherwise the address that this very request used. */
function originOf(request: FastifyRequest): string {
  return request.server.publicOrigin ?? `${request.protocol}://${request.host}`;
}

/** Where the site stands: its origin, and the path below which everything is. */
export function siteUrlOf(request: FastifyRequest): string {
  return originOf(request) + request.server.basePath;
}

export const callerOf = (request: FastifyRequest): Caller => new RequestCaller(request);

/** Address and site are worked out where they are asked for: most calls never do. */
class RequestCaller implements Caller {
  readonly clientHash: string;
  readonly #request: FastifyRequest;

  constructor(request: FastifyRequest) {
    this.clientHash = hashClientId(request.clientId);
    this.#request = request;
  }

  get address(): string {
    return normalizeIP(this.#request.ip, 64);
  }

  get siteUrl(): string {
    return siteUrlOf(this.#request);
  }
}
