// The HTTP server: what all routes share, then the routes.
import { maxHeaderSize } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import { pagePolicy } from '@furoshiki/site';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Config } from './config/config.ts';
import { instanceConfigOf, type TlsPair, trustedProxies } from './config/settings.ts';
import {
  type BuiltRelease,
  otherOriginsOf,
  pageAddressOf,
  servesPublished,
  signedFolderOf,
  sourceOf,
} from './deployment/manifest.ts';
import { serveApiRoutes } from './http/api-route.ts';
import { checkHosts, collectMethods, routedPath } from './http/request-target.ts';
import { handleCookies, identifyClients } from './http/client.ts';
import { sendError, setErrorResponses } from './http/error-responses.ts';
import { refuseTunnels, respondToBrokenRequest } from './http/broken-request.ts';
import { logOptions, logsRequests, ObservingLogController } from './http/request-log.ts';
import { limitBodyTime, limitRates, limitRequests, limitRequestSize, type RateLimits } from './http/limits.ts';
import { limitConnections, limitOpenRequests, limitReadingTime } from './http/open-requests.ts';
import { setSecurityHeaders } from './http/security-headers.ts';
import { transportOptions, tuneTransport } from './http/transport.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { Clock } from './ports/clock.ts';
import type { ServedStore } from './ports/object-store.ts';
import { apiRoutes, serveApiDocs, serveHealth } from './routes/api-routes.ts';
import { serveSmallFiles } from './routes/small-files.ts';
import { serveGrantedBytes, serveStoredBytes } from './routes/transfers.ts';
import { serveLegalNotice } from './routes/legal-notice.ts';
import { serveSecurityTxt, serveWebApp, serveWebcat, signedVersion } from './routes/web-app.ts';
import type { Context } from './services/context.ts';
import type { Readiness } from './services/readiness.ts';
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

interface AppDependencies {
  config: Config;
  context: Context;
  signer: Signer;
  findFailing: Readiness;
  /** Aborted when the server begins to stop. */
  stopping: AbortSignal;
  /** Undefined: plain HTTP, for use behind a proxy or on this machine only. */
  tls: TlsPair | undefined;
  /** The object store, if its bytes pass through this server. */
  servedStore: ServedStore | undefined;
  /** The origin of the object store, if browsers connect to it. */
  storageOrigin: string | undefined;
  /** The folder of the built web app, and what the build says about itself. */
  webRoot: string;
  release: BuiltRelease | undefined;
  metrics: Pick<Metrics, 'requests' | 'countRefusal' | 'watchConnections' | 'watchQueue'> | undefined;
}

/** The largest body lists all parts of a file and is smaller. A body is read before its sender is identified. */
const MAX_JSON_BYTES = 256 * 1024;

export async function createApp(dependencies: AppDependencies): Promise<FastifyInstance> {
  const { config, context, signer, findFailing, tls, servedStore, release, metrics } = dependencies;
  const { PUBLIC_ORIGIN: publicOrigin, BASE_PATH: basePath = '', LOG_LEVEL: logLevel } = config;
  const webcatFolder = signedFolderOf(config, dependencies.storageOrigin);
  const instanceConfig = instanceConfigOf(config, release && shownRelease(release, dependencies));
  const trusted = trustedProxies(config);
  const trustsProxy = trustOf(trusted);
  const policy = pagePolicy(otherOriginsOf(config, dependencies.storageOrigin), release);
  const app = Fastify({
    logger: logOptions(logLevel),
    // One logger for all requests: a child logger would add no field, and costs as much time as parsing the request.
    childLoggerFactory: (logger) => logger,
    logController: new ObservingLogController(metrics?.requests, logsRequests(logLevel)),
    bodyLimit: MAX_JSON_BYTES,
    // Too long to be an id is as unknown as any other: Fastify's own limit would make it a bad request.
    routerOptions: { maxParamLength: maxHeaderSize },
    ...transportOptions(tls),
    rewriteUrl: routedPath(basePath),
    // Without proxies Fastify reads the address from the connection, which is faster than asking a function.
    trustProxy: trusted === undefined ? false : trustsProxy,
    clientErrorHandler: respondToBrokenRequest({ basePath, policy }),
    // For a URL that cannot be decoded. No hook has run.
    frameworkErrors: (_error, request, reply) =>
      request.server.limitOpenRequest(request, reply, (refusal) => {
        limitReadingTime(request, reply, 0);
        reply.headers(request.server.pageHeaders);
        if (refusal) void sendError(request, reply, 'RATE_LIMITED');
        else void sendError(request, reply, 'VALIDATION_FAILED', 'url');
      }),
  });
  if (tls) tuneTransport(app);
  app.decorate('signer', signer);
  app.decorate('clock', context.clock);
  app.decorate('publicOrigin', publicOrigin);
  app.decorate('basePath', basePath);
  const connections = { perAddress: config.MAX_CONNECTIONS_PER_ADDRESS, total: config.MAX_CONNECTIONS };
  limitConnections(app.server, connections, (address) => trustsProxy(address, 0));
  metrics?.watchConnections(app.server);
  refuseTunnels(app, { basePath, policy });
  collectMethods(app);
  setErrorResponses(app, metrics?.countRefusal);
  await handleCookies(app);
  setSecurityHeaders(app, {
    isSecure: tls !== undefined || (publicOrigin?.startsWith('https:') ?? false),
    policy,
    webcatVersion: webcatFolder === undefined ? undefined : await signedVersion(webcatFolder),
  });
  // Before all other hooks that can refuse a request: over HTTP/2 a refused response stays open until its client reads it.
  const requests = { perAddress: config.MAX_REQUESTS_PER_ADDRESS, total: config.MAX_REQUESTS };
  limitOpenRequests(app, requests, metrics?.watchQueue);
  limitRequests(app, config.REQUESTS_PER_HOUR, context.clock);
  limitBodyTime(app);
  limitRequestSize(app);
  checkHosts(app);
  // With a database of its own, a server is the only one, and counts in memory.
  const countHit = config.DATABASE_URL === undefined ? undefined : context.metadata.countHit;
  await limitRates(app, rateLimitsOf(config), context, countHit);
  serveHealth(app, findFailing, dependencies.stopping);
  await app.register(async (api) => {
    identifyClients(api);
    acceptEmptyJson(api);
    serveApiDocs(api, instanceConfig);
    serveApiRoutes(api, apiRoutes(context, { signer, instanceConfig, findFailing }));
    serveGrantedBytes(api, context);
    serveSmallFiles(api, context);
  });
  if (servedStore) {
    await app.register(async (store) => serveStoredBytes(store, context, servedStore));
  }
  serveSecurityTxt(app, config.SECURITY_CONTACT ?? config.CONTACT_EMAIL);
  if (webcatFolder !== undefined) serveWebcat(app, webcatFolder);
  await serveLegalNotice(app, dependencies.webRoot, instanceConfig);
  await serveWebApp(app, dependencies.webRoot, pageAddressOf(config), context);
  return app;
}

const shownRelease = (release: BuiltRelease, { config, storageOrigin }: AppDependencies) => ({
  version: release.version,
  commit: release.commit,
  fingerprint: release.fingerprint,
  source: sourceOf(config, release) ?? null,
  isPublished: servesPublished(config, storageOrigin),
});

function rateLimitsOf(config: Config): RateLimits {
  return {
    read: config.READS_PER_HOUR,
    token: config.TOKENS_PER_HOUR,
    upload: config.UPLOADS_PER_HOUR,
    part: config.PART_CALLS_PER_HOUR,
    download: config.DOWNLOADS_PER_HOUR,
    delete: config.DELETES_PER_HOUR,
    contact: config.CONTACTS_PER_HOUR,
    report: config.REPORTS_PER_HOUR,
  };
}

/** Returns whether the proxy at this address is trusted. Hop 0 is the one that is connected to this server. */
function trustOf(trusted: Config['TRUST_PROXY']): (address: string, hop: number) => boolean {
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
