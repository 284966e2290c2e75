// The HTTP server: what all routes share, then the routes.
import { maxHeaderSize } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import type { InstanceConfig } from '@furoshiki/api';
import { pagePolicy } from '@furoshiki/site';
import Fastify, { type FastifyInstance } from 'fastify';
import type { TlsPair } from './config/settings.ts';
import { serveApiRoutes } from './http/api-route.ts';
import { collectMethods } from './http/allowed-methods.ts';
import { checkHosts, routedPath } from './http/request-target.ts';
import { handleCookies, identifyClients } from './http/client.ts';
import { sendError, setErrorResponses } from './http/error-responses.ts';
import { refuseTunnels, respondToBrokenRequest } from './http/broken-request.ts';
import { type LogLevel, logOptions, logsRequests, ObservingLogController } from './http/request-log.ts';
import { limitBodyTime, limitConnections, limitOpenRequests, limitRequestSize } from './http/limits.ts';
import { limitRates, type RateLimits } from './http/rate-limits.ts';
import { setSecurityHeaders } from './http/security-headers.ts';
import { transportOptions, tuneTransport } from './http/transport.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { Clock } from './ports/clock.ts';
import type { SharedRecords } from './ports/metadata-store.ts';
import type { ServedStore } from './ports/object-store.ts';
import { serveApiDocs, serveHealth } from './routes/instance.ts';
import { apiRoutes } from './routes/api-routes.ts';
import { serveGrantedBytes } from './routes/downloads.ts';
import { serveStoredBytes } from './routes/stored-bytes.ts';
import { serveSecurityTxt, serveWebcat } from './routes/well-known.ts';
import { serveWebApp } from './routes/web-app.ts';
import type { Context } from './services/context.ts';
import { createReadiness } from './services/readiness.ts';
import type { Signer } from './signing.ts';

declare module 'fastify' {
  interface FastifyInstance {
    signer: Signer;
    clock: Clock;
    publicOrigin: string | undefined;
    /** Empty, or a path such as /files. */
    basePath: string;
  }
}

export interface AppDependencies {
  context: Context;
  /** Aborted when the server begins to stop. */
  stopping: AbortSignal;
  signer: Signer;
  instanceConfig: InstanceConfig;
  publicOrigin: string | undefined;
  basePath: string;
  /** A number of hops, or addresses and networks. Undefined: no proxy is trusted. */
  trustProxy: number | string[] | undefined;
  rateLimits: RateLimits;
  /** What one client address may hold open at the same time; 0 is no limit. */
  openLimits: { connections: number; requests: number };
  /** Undefined: plain HTTP, for use behind a proxy or on this machine only. */
  tls: TlsPair | undefined;
  /** The object store, if its bytes pass through this server. */
  servedStore: ServedStore | undefined;
  /** Origins besides the address of the page that it may connect to. */
  otherOrigins: string[];
  /** Counts calls for all servers of a cluster together. Undefined: this server counts its own calls only. */
  countHit: SharedRecords['countHit'] | undefined;
  /** An email address or a URL for security.txt. */
  securityContact: string | undefined;
  /** The folder of the built web app. */
  webRoot: string;
  /** The folder of the operator's signed files, and the version that they are about. */
  webcat: { folder: string; version: string | undefined } | undefined;
  logLevel: LogLevel;
  metrics: Pick<Metrics, 'requests' | 'watchConnections' | 'watchQueue'> | undefined;
}

/** The largest body lists all parts of a file and is smaller. A body is read before its sender is identified. */
const MAX_JSON_BYTES = 256 * 1024;

export async function createApp(dependencies: AppDependencies): Promise<FastifyInstance> {
  const { context, signer, instanceConfig, publicOrigin, basePath, openLimits, servedStore, metrics } = dependencies;
  const trustsProxy = trustOf(dependencies.trustProxy);
  const policy = pagePolicy(dependencies.otherOrigins);
  const app = Fastify({
    logger: logOptions(dependencies.logLevel),
    // One logger for all requests: a child logger would add no field, and costs as much time as parsing the request.
    childLoggerFactory: (logger) => logger,
    logController: new ObservingLogController(metrics?.requests, logsRequests(dependencies.logLevel)),
    bodyLimit: MAX_JSON_BYTES,
    // Too long to be an id is as unknown as any other: Fastify's own limit would make it a bad request.
    routerOptions: { maxParamLength: maxHeaderSize },
    ...transportOptions(dependencies.tls),
    rewriteUrl: routedPath(basePath),
    // Without proxies Fastify reads the address from the connection, which is faster than asking a function.
    trustProxy: dependencies.trustProxy === undefined ? false : trustsProxy,
    clientErrorHandler: respondToBrokenRequest({ basePath, policy }),
    // For a URL that cannot be decoded. No hook has run.
    frameworkErrors: (_error, request, reply) =>
      void sendError(request, reply.headers(request.server.pageHeaders), 'VALIDATION_FAILED', 'url'),
  });
  if (dependencies.tls) tuneTransport(app);
  app.decorate('signer', signer);
  app.decorate('clock', context.clock);
  app.decorate('publicOrigin', publicOrigin);
  app.decorate('basePath', basePath);
  limitConnections(app.server, openLimits.connections, (address) => trustsProxy(address, 0));
  metrics?.watchConnections(app.server);
  refuseTunnels(app, { basePath, policy });
  collectMethods(app);
  setErrorResponses(app);
  await handleCookies(app);
  setSecurityHeaders(app, {
    isSecure: dependencies.tls !== undefined || (publicOrigin?.startsWith('https:') ?? false),
    policy,
    webcatVersion: dependencies.webcat?.version,
  });
  limitRequestSize(app);
  checkHosts(app);
  const { metadata, objects } = context;
  const findFailing = createReadiness({ database: () => metadata.ping(), storage: () => objects.ping() });
  serveHealth(app, findFailing, dependencies.stopping);
  await app.register(async (api) => {
    limitOpenRequests(api, openLimits.requests, metrics?.watchQueue);
    limitBodyTime(api);
    await limitRates(api, dependencies.rateLimits, context, dependencies.countHit);
    identifyClients(api);
    acceptEmptyJson(api);
    serveApiDocs(api, instanceConfig);
    serveApiRoutes(api, apiRoutes(context, { signer, instanceConfig, findFailing }));
    serveGrantedBytes(api, context);
  });
  if (servedStore) {
    await app.register(async (store) => {
      limitOpenRequests(store, openLimits.requests, metrics?.watchQueue);
      serveStoredBytes(store, context, servedStore);
    });
  }
  serveSecurityTxt(app, dependencies.securityContact);
  if (dependencies.webcat) serveWebcat(app, dependencies.webcat.folder);
  await serveWebApp(app, dependencies.webRoot, context);
  return app;
}

/** Returns whether the proxy at this address is trusted. Hop 0 is the one that is connected to this server. */
function trustOf(trusted: AppDependencies['trustProxy']): (address: string, hop: number) => boolean {
  if (typeof trusted === 'number') return (_address, hop) => hop < trusted;
  return proxyAddr.compile(trusted ?? []);
}

/** Clients send the JSON content type even if a call has no body. */
function acceptEmptyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parse(request, body as string, done);
  });
}
