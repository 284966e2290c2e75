// The security headers of every response. ADR 8 says why.
import { API_PREFIX } from '@furoshiki/api';
import { DATA_HEADERS, DATA_POLICY, PAGE_HEADERS } from '@furoshiki/site';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { STORE_PREFIX } from '../signing.ts';

const HSTS = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' };

export interface HeaderChoices {
  /** Whether it is known that people reach us only over HTTPS. */
  isSecure: boolean;
  /** The Content-Security-Policy of the pages and their files. */
  policy: string;
  /** Lets browsers that check pages load the signed files again after an upgrade. */
  webcatVersion: string | undefined;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The headers of a document, for a route below /api that returns HTML. */
    pageHeaders: Record<string, string>;
  }
}

/** Builds the headers once at start: they are the same for every response. */
export function setSecurityHeaders(app: FastifyInstance, { isSecure, policy, webcatVersion }: HeaderChoices): void {
  const everywhere: Record<string, string> = {
    ...DATA_HEADERS,
    'x-robots-tag': 'noindex',
    ...(isSecure ? HSTS : {}),
  };
  const pageHeaders = {
    ...everywhere,
    ...PAGE_HEADERS,
    'content-security-policy': policy,
    ...(webcatVersion !== undefined && { 'x-webcat-version': webcatVersion }),
  };
  const dataHeaders = { ...everywhere, 'content-security-policy': DATA_POLICY };
  app.decorate('pageHeaders', pageHeaders);
  if (!isSecure) sendHstsOverHttps(app);
  app.addHook('onRequest', (request, reply, done) => {
    // The URL itself decides nothing: the router also finds /%73tore and http://host/store. It only saves a look-up.
    const isData = isDataPath(request.url) || isDataPath(request.routeOptions.url ?? '');
    reply.headers(isData ? dataHeaders : pageHeaders);
    done();
  });
}

/** Without an https PUBLIC_ORIGIN, only a trusted proxy knows how the client reached it. */
function sendHstsOverHttps(app: FastifyInstance): void {
  app.addHook('onRequest', ({ protocol }, reply, done) => {
    if (protocol === 'https') reply.headers(HSTS);
    done();
  });
}

function isDataPath(path: string): boolean {
  return path.startsWith(`${API_PREFIX}/`) || path.startsWith(`${STORE_PREFIX}/`);
}

/** By default search engines may not list a response. */
export function allowIndexing(reply: FastifyReply): void {
  reply.removeHeader('x-robots-tag');
}
