// The HTTP server: plumbing shared by every route, then the routes.
import type { AnalyticsSettings } from '@furoshiki/core';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Metrics } from './metrics/metrics.ts';
import type { Clock } from './ports/clock.ts';
import type { SharedRecords } from './ports/metadata-store.ts';
import type { ServedStore } from './ports/object-store.ts';
import { serveApiDocs } from './routes/api-docs.ts';
import { serveConfig } from './routes/config.ts';
import { serveContact } from './routes/contact.ts';
import { serveDownloads } from './routes/downloads.ts';
import { serveHealth, serveReadiness } from './routes/health.ts';
import { serveReports } from './routes/reports.ts';
import { serveSecurityToken } from './routes/security-token.ts';
import { serveStoredBytes } from './routes/stored-bytes.ts';
import { serveUploads } from './routes/uploads.ts';
import { serveWebApp } from './routes/web/web-app.ts';
import type { Context } from './services/context.ts';
import { createReadiness } from './services/readiness.ts';
import type { Signer } from './signing.ts';
import type { TlsPair } from './config/tls-pair.ts';
import { cutBasePath } from './http/base-path.ts';
import { recogniseClients } from './http/client.ts';
import { answerBrokenRequest, answerErrors, sendError } from './http/error-responses.ts';
import { type LogLevel, logOptions, logsRequests } from './http/logging/log.ts';
import { ObservingLogController } from './http/logging/observe-requests.ts';
import { limitRates, type RateLimits } from './http/rate-limits.ts';
import { setSecurityHeaders } from './http/security-headers.ts';
import { transportOptions, tuneTransport } from './http/transport.ts';

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
  /** The store, where this server serves its bytes itself. */
  servedStore: ServedStore | undefined;
  /** Where browsers send and fetch bytes, if not here. */
  storageOrigin: string | undefined;
  /** Counts for all servers that share the work. Undefined: this one counts for itself. */
  countHit: SharedRecords['countHit'] | undefined;
  /** Undefined: nobody is told of visits. */
  analytics: AnalyticsSettings | undefined;
  /** The built web app's folder. */
  webRoot: string;
  logLevel: LogLevel;
  metrics?: Pick<Metrics, 'requests' | 'watchConnections'> | undefined;
}

/** More than the largest: as many parts as a file can have. It is read before anybody is known, and so may be a stranger's. */
const MAX_JSON_BYTES = 256 * 1024;

export async function createApp(parts: AppParts): Promise<FastifyInstance> {
  const { context, signer, publicOrigin, basePath, trustProxy, servedStore } = parts;
  const app = Fastify({
    logger: logOptions(parts.logLevel),
    // One logger for all: a child for each request would say nothing more, and costs as much as parsing the request.
    childLoggerFactory: (logger) => logger,
    logController: new ObservingLogController(parts.metrics?.requests, logsRequests(parts.logLevel)),
    // A HEAD must never spend a download, so none is derived from a GET.
    exposeHeadRoutes: false,
    bodyLimit: MAX_JSON_BYTES,
    ...transportOptions(parts.tls),
    ...(basePath === '' ? {} : { rewriteUrl: cutBasePath(basePath) }),
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : (trustProxy ?? false),
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (_error, request, reply) => void sendError(request, reply, 'VALIDATION_FAILED'),
  });
  if (parts.tls) tuneTransport(app);
  app.decorate('signer', signer);
  app.decorate('clock', context.clock);
  app.decorate('publicOrigin', publicOrigin);
  parts.metrics?.watchConnections(app.server);
  app.decorate('basePath', basePath);
  answerErrors(app);
  setSecurityHeaders(app, {
    isSecure: parts.tls !== undefined || (publicOrigin?.startsWith('https:') ?? false),
    otherOrigins: [publicOrigin, parts.storageOrigin, parts.analytics?.url].filter((origin) => origin !== undefined),
  });
  const { metadata, objects } = context;
  const failingParts = createReadiness({ database: () => metadata.ping(), storage: () => objects.ping() });
  serveHealth(app, failingParts);
  await app.register(async (api) => {
    await limitRates(api, parts.rateLimits, context, parts.countHit);
    recogniseClients(api);
    acceptEmptyJson(api);
    serveApiDocs(api);
    serveReadiness(api, failingParts);
    serveConfig(api, context.limits, parts.analytics);
    serveSecurityToken(api);
    serveUploads(api, context);
    serveDownloads(api, context);
    serveContact(api, context);
    serveReports(api, context);
  });
  if (servedStore) await app.register(async (store) => serveStoredBytes(store, servedStore));
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
