// The HTTP server: plumbing shared by every route, then the routes.
import cookie from '@fastify/cookie';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Clock } from '../ports/clock.ts';
import type { ServedStore } from '../ports/object-store.ts';
import { serveConfig } from '../routes/config.ts';
import { serveDownloads } from '../routes/downloads.ts';
import { serveHealth } from '../routes/health.ts';
import { serveSecurityToken } from '../routes/security-token.ts';
import { serveStoredBytes } from '../routes/stored-bytes.ts';
import { serveUploads } from '../routes/uploads.ts';
import { serveWebApp } from '../routes/web-app.ts';
import type { Context } from '../services/context.ts';
import type { Signer } from '../signing.ts';
import type { TlsPair } from '../tls-pair.ts';
import { cutBasePath } from './base-path.ts';
import { recogniseClients } from './client.ts';
import { answerErrors, sendError } from './error-answers.ts';
import { limitRates, type RateLimits } from './rate-limits.ts';
import { setSecurityHeaders } from './security-headers.ts';
import { transportOptions, tuneTransport } from './transport.ts';

declare module 'fastify' {
  interface FastifyInstance {
    signer: Signer;
    clock: Clock;
    publicOrigin: string | undefined;
    /** Empty, or such as /files. */
    basePath: string;
  }
}

export interface AppParts {
  context: Context;
  signer: Signer;
  publicOrigin: string | undefined;
  basePath: string;
  /** A number of hops, or addresses and networks. Undefined: nobody is believed. */
  trustProxy: number | string[] | undefined;
  rateLimits: RateLimits;
  /** Undefined: plain HTTP, for a proxy or for this machine alone. */
  tls: TlsPair | undefined;
  /** The store whose bytes this server serves itself. */
  servedStore: ServedStore;
  /** The built web app's folder. */
  webRoot: string;
}

export async function createApp(parts: AppParts): Promise<FastifyInstance> {
  const { context, signer, publicOrigin, basePath, trustProxy, servedStore } = parts;
  const app = Fastify({
    logger: { level: 'warn', stream: process.stderr },
    // Request logs would carry addresses and ids.
    logController: new LogController({ disableRequestLogging: true }),
    // A HEAD must never spend a download, so none is derived from a GET.
    exposeHeadRoutes: false,
    ...transportOptions(parts.tls),
    ...(basePath === '' ? {} : { rewriteUrl: cutBasePath(basePath) }),
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : (trustProxy ?? false),
    frameworkErrors: (_error, request, reply) => void sendError(request, reply, 'VALIDATION_FAILED'),
  });
  if (parts.tls) tuneTransport(app);
  app.decorate('signer', signer);
  app.decorate('clock', context.clock);
  app.decorate('publicOrigin', publicOrigin);
  app.decorate('basePath', basePath);
  answerErrors(app);
  await setSecurityHeaders(app, {
    isSecure: parts.tls !== undefined || (publicOrigin?.startsWith('https:') ?? false),
    storageOrigins: publicOrigin === undefined ? [] : [publicOrigin],
  });
  serveHealth(app);
  await app.register(async (api) => {
    await api.register(cookie);
    await limitRates(api, parts.rateLimits);
    recogniseClients(api);
    acceptEmptyJson(api);
    serveConfig(api, context.limits);
    serveSecurityToken(api);
    serveUploads(api, context);
    serveDownloads(api, context);
  });
  await app.register(async (store) => serveStoredBytes(store, servedStore));
  await serveWebApp(app, parts.webRoot);
  return app;
}

/** Calls without a payload still say that they are JSON. */
function acceptEmptyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parse(request, body as string, done);
  });
}
