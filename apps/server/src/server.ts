// The wiring of the server, used by main.ts and by the tests: configuration -> stores -> context -> app -> jobs -> stop.
import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { createSmtpMailer } from './adapters/smtp/smtp-mailer.ts';
import packageJson from '../package.json' with { type: 'json' };
import { createApp } from './app.ts';
import { assertSettings, mailSettings, readTlsPair } from './config/settings.ts';
import type { Config } from './config/config.ts';
import { LOCK_WAIT_MS } from './config/data-folder.ts';
import { readRelease } from './deployment/manifest.ts';
import { WEB_ROOT } from './config/web-root.ts';
import { createDrain, listenErrorFor, renewTls } from './http/transport.ts';
import { logOutages } from './http/outage-log.ts';
import { runMailOutbox } from './jobs/mail-outbox.ts';
import { runSweeper } from './jobs/sweeper.ts';
import { createMetrics, type Metrics, serveMetrics } from './metrics/metrics.ts';
import { openStores } from './open-stores.ts';
import type { Clock } from './ports/clock.ts';
import type { Context, UploadLimits } from './services/context.ts';
import { createReadiness, type Readiness } from './services/readiness.ts';
import { areSeparate } from './services/store-ownership.ts';
import { createUploadPasses } from './services/upload-permission.ts';

/** Requests that still run this long after the stop signal are cut off. Containers are killed after 10 s; clients resume. */
const DRAIN_MS = 9_000;
/** Three checks of the proxy in deploy/Caddyfile.many, and more than an idle connection of deploy/nginx.many.conf lasts. */
const ANNOUNCE_MS = 3_000;

/** What tests replace. Everything else comes from the configuration. */
export interface ServerOverrides {
  clock?: Clock;
  metrics?: Metrics;
  webRoot?: string;
  drainMs?: number;
  announceMs?: number;
  /** How long the start waits for another server on the same data folder. */
  lockWaitMs?: number;
}

export interface FuroshikiServer {
  app: FastifyInstance;
  context: Context;
  /** Returns the URL that the server listens on. */
  listen(): Promise<string>;
  /** Starts to remove expired files and to send mail, until the server stops. */
  startJobs(): void;
  /** Reads the TLS certificate and its key again. If they cannot be used, the server keeps the old ones. */
  renewCertificate(): Promise<void>;
  /** Finishes running requests and jobs, then closes everything. */
  stop(): Promise<void>;
}

/** `onWait` is called with one line for the operator if the start has to wait. */
export async function createServer(
  config: Config,
  overrides: ServerOverrides = {},
  onWait?: (text: string) => void,
): Promise<FuroshikiServer> {
  // Settings that contradict each other stop the start before a store is opened.
  await assertSettings(config);
  const mail = mailSettings(config);
  const webRoot = overrides.webRoot ?? WEB_ROOT;
  const release = await readRelease(webRoot);
  const limits = uploadLimitsOf(config);
  const tls = await readTlsPair(config);
  const opened = await openStores(config, { waitMs: overrides.lockWaitMs ?? LOCK_WAIT_MS, onWait });
  const { signer, remote } = opened;
  const log = () => app.log;
  const metadata = logOutages('database', opened.metadata, log);
  const served = opened.served && logOutages('storage', opened.served, log);
  const objects = served ?? logOutages('storage', opened.objects, log);
  const clock = overrides.clock ?? { nowMs: () => Date.now() };
  const context: Context = {
    metadata,
    objects,
    clock,
    newId: () => randomBytes(16).toString('base64url'),
    hashAddress: (address, day) => signer.sign('address', day, address),
    limits,
    uploadPasses:
      config.SIGN_IN && config.UPLOAD_TOKEN !== undefined
        ? createUploadPasses(signer, config.UPLOAD_TOKEN, clock)
        : undefined,
    leavesEpochs: areSeparate(config),
    sendsMail: mail !== undefined,
  };
  const findFailing = createReadiness({ database: () => metadata.ping(), storage: () => objects.ping() });
  const metrics =
    overrides.metrics ?? (config.METRICS_PORT === undefined ? undefined : metricsOf(context, findFailing));
  const stopping = new AbortController();
  const app = await createApp({
    config,
    context,
    signer,
    findFailing,
    stopping: stopping.signal,
    tls,
    servedStore: served,
    storageOrigin: remote?.origin,
    webRoot,
    release,
    metrics,
  });
  const drain = createDrain(app, {
    limitMs: overrides.drainMs ?? DRAIN_MS,
    // With its own database a server is the only one: no other could take over while it waits.
    announceMs: overrides.announceMs ?? (config.DATABASE_URL === undefined ? 0 : ANNOUNCE_MS),
  });
  const jobs: Promise<void>[] = [];
  let metricsServer: Server | undefined;

  return {
    app,
    context,
    async listen() {
      const { HOST: host, PORT: port } = config;
      const url = await app
        // Fastify's default text would log our address.
        .listen({ host, port, listenTextResolver: () => 'listening' })
        .catch(listenErrorFor('', host, port));
      metricsServer = await listenForMetrics(config, metrics);
      return url;
    },
    startJobs() {
      const sweepEveryMs = config.SWEEP_SECONDS * 1000;
      jobs.push(runSweeper(context, app.log, sweepEveryMs, stopping.signal, metrics?.sweeps));
      if (mail) jobs.push(runMailOutbox(context, createSmtpMailer(mail), app.log, stopping.signal));
    },
    async renewCertificate() {
      try {
        const renewed = await readTlsPair(config);
        if (renewed) renewTls(app, renewed);
      } catch (error) {
        app.log.error(`the server keeps its certificate: ${(error as Error).message}`);
      }
    },
    async stop() {
      if (stopping.signal.aborted) return;
      stopping.abort();
      await drain();
      await Promise.all(jobs);
      metricsServer?.close();
      metricsServer?.closeAllConnections();
      await metadata.close();
      opened.releaseFolder();
    },
  };
}

function uploadLimitsOf(config: Config): UploadLimits {
  return {
    allowUnencrypted: config.ALLOW_UNENCRYPTED,
    requiresFormat2: config.REQUIRE_FORMAT_2,
    hidesNames: config.HIDE_NAMES === 'always',
    maxStoredBytes: config.MAX_STORED_BYTES,
    minFreeDiskBytes: config.MIN_FREE_DISK_BYTES,
    maxDailyUploadBytes: config.MAX_DAILY_UPLOAD_BYTES,
    maxDailyRecordBytes: config.MAX_DAILY_RECORD_BYTES,
    maxUnsentBytes: config.MAX_UNSENT_BYTES,
    uploadToken: config.UPLOAD_TOKEN,
    maxRequestBytes: config.REQUESTS ? config.MAX_REQUEST_BYTES : 0,
  };
}

function metricsOf({ metadata, objects, limits }: Context, findFailing: Readiness): Metrics {
  return createMetrics(() => metadata.tally(), {
    room: { free: () => objects.free(), ...limits },
    findFailing,
    connections: metadata.connections,
    version: packageJson.version,
  });
}

async function listenForMetrics(config: Config, metrics: Metrics | undefined): Promise<Server | undefined> {
  const { METRICS_HOST: host, METRICS_PORT: port } = config;
  if (!metrics || port === undefined) return undefined;
  return serveMetrics(metrics.registry, host, port).catch(listenErrorFor('METRICS_', host, port));
}
