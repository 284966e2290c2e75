// Composition root: configuration -> adapters -> services -> routes -> listen.
import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import type { FastifyInstance } from 'fastify';
import { createSmtpMailer } from './adapters/smtp/smtp-mailer.ts';
import { analyticsSettings } from './config/analytics-settings.ts';
import { type Config, readConfig, StartError } from './config/config.ts';
import { type DataFolder, dataPaths, openDataFolder } from './config/data-folder.ts';
import { createApp } from './app.ts';
import { createDrain } from './http/drain.ts';
import { renewTls } from './http/transport.ts';
import { runMailOutbox } from './jobs/mail-outbox.ts';
import { runSweeper } from './jobs/sweeper.ts';
import { mailSettings } from './config/mail-settings.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';
import { serveMetrics } from './metrics/serve-metrics.ts';
import { openMetadata, openObjects } from './open-stores.ts';
import { type Claim, claimStore } from './services/store-owner.ts';
import type { Context, Stores } from './services/context.ts';
import { createSigner } from './signing.ts';
import { readTlsPair } from './config/tls-pair.ts';

const WEB_ROOT = fileURLToPath(new URL('../../web/dist', import.meta.url));
/** What still runs this long after the signal to stop is cut off: containers are killed after 10 s. Clients go on from there. */
const DRAIN_MS = 9_000;

// Bodies pass through buffers outside of V8's heap. The heap itself is small, and measured by that V8 sees no room for them: it
// would search all of it for garbage dozens of times for each gigabyte received.
setFlagsFromString('--heap-growing-percent=400');

async function start(config: Config): Promise<void> {
  const mail = mailSettings(config);
  const analytics = analyticsSettings(config);
  const tls = await readTlsPair(config);
  const basePath = config.BASE_PATH ?? '';
  const folder = await openFolder(config);
  const signer = createSigner(folder.secret);
  const metadata = await openMetadata(config, folder.database);
  const { objects, served, remote, place } = await openObjects(config, folder.objects, signer);
  await assertTogether({ metadata, objects }, place, isApart(config));
  const context: Context = {
    metadata,
    objects,
    clock: { nowMs: () => Date.now() },
    newId: () => randomBytes(16).toString('base64url'),
    hashAddress: (address, day) => signer.sign('address', day, address),
    limits: {
      allowUnencrypted: config.ALLOW_UNENCRYPTED,
      maxStoredBytes: config.MAX_STORED_BYTES,
      minFreeDiskBytes: config.MIN_FREE_DISK_BYTES,
      maxDailyUploadBytes: config.MAX_DAILY_UPLOAD_BYTES,
      uploadToken: config.UPLOAD_TOKEN,
      contactEmail: config.CONTACT_EMAIL,
    },
    sendsMail: mail !== undefined,
  };
  const metrics = config.METRICS_PORT === undefined ? undefined : createMetrics(() => context.metadata.tally());
  const app = await createApp({
    context,
    signer,
    publicOrigin: config.PUBLIC_ORIGIN,
    basePath,
    trustProxy: config.TRUST_PROXY,
    rateLimits: {
      token: config.TOKENS_PER_HOUR,
      upload: config.UPLOADS_PER_HOUR,
      download: config.DOWNLOADS_PER_HOUR,
      delete: config.DELETES_PER_HOUR,
      contact: config.CONTACTS_PER_HOUR,
      report: config.REPORTS_PER_HOUR,
    },
    tls,
    servedStore: served,
    storageOrigin: remote?.origin,
    countHit: config.DATABASE_URL === undefined ? undefined : metadata.countHit,
    analytics,
    webRoot: WEB_ROOT,
    logLevel: config.LOG_LEVEL,
    metrics,
  });
  const drain = createDrain(app, DRAIN_MS);
  const address = await app
    // The framework's own text would tell the log our address.
    .listen({ host: config.HOST, port: config.PORT, listenTextResolver: () => 'listening' })
    .catch(explainWhyNot('', config.HOST, config.PORT));
  const metricsServer = await listenForMetrics(config, metrics);

  const stopping = new AbortController();
  const sweepEveryMs = config.SWEEP_SECONDS * 1000;
  const sweeping = runSweeper(context, app.log, sweepEveryMs, stopping.signal, metrics?.sweeps);
  const mailing = mail && runMailOutbox(context, createSmtpMailer(mail), app.log, stopping.signal);
  async function stop(): Promise<void> {
    if (stopping.signal.aborted) return;
    stopping.abort();
    await drain();
    await sweeping;
    await mailing;
    metricsServer?.close();
    metricsServer?.closeAllConnections();
    await context.metadata.close();
  }
  process.on('SIGTERM', () => void stop());
  process.on('SIGINT', () => void stop());
  if (tls) process.on('SIGHUP', () => void renewCertificate(app, config));
  process.stdout.write(`Furoshiki serves ${config.PUBLIC_ORIGIN ?? address}${basePath}\n`);
}

/** Where nothing is kept on this machine, there is no folder: another server may be asked next, so the secret is given. */
async function openFolder(config: Config): Promise<DataFolder> {
  const { DATABASE_URL, S3_BUCKET, SECRET, DATA_DIR } = config;
  if (DATABASE_URL === undefined || S3_BUCKET === undefined)
    return openDataFolder(DATA_DIR, SECRET, S3_BUCKET === undefined);
  if (SECRET === undefined) throw new StartError('SECRET must be set together with DATABASE_URL and S3_BUCKET');
  return { ...dataPaths(DATA_DIR), secret: Buffer.from(SECRET) };
}

/** Whether the database could be exchanged without the bytes, or the bytes without the database. */
function isApart({ DATABASE_URL, S3_BUCKET }: Config): boolean {
  return DATABASE_URL !== undefined || S3_BUCKET !== undefined;
}

const WHY_NOT: Record<Exclude<Claim, 'ours'>, string> = {
  'of-another-database': 'belongs to another database',
  'has-unknown-files': 'has files that the database does not know, and that would be removed',
  'has-none-of-our-files': 'has none of the files that the database knows',
};

async function assertTogether(stores: Omit<Stores, 'clock'>, place: string, areApart: boolean): Promise<void> {
  let claim: Claim;
  try {
    claim = await claimStore(stores, areApart);
  } catch (cause) {
    throw new StartError(`${place} cannot be used (${(cause as Error).name})`, { cause });
  }
  if (claim !== 'ours') throw new StartError(`${place} ${WHY_NOT[claim]}: see docs/OPERATING.md`);
}

async function renewCertificate(app: FastifyInstance, config: Config): Promise<void> {
  try {
    const tls = await readTlsPair(config);
    if (tls) renewTls(app, tls);
  } catch (error) {
    app.log.error(`the certificate in use is kept: ${(error as Error).message}`);
  }
}

async function listenForMetrics(config: Config, metrics: Metrics | undefined): Promise<Server | undefined> {
  const { METRICS_HOST: host, METRICS_PORT: port } = config;
  if (!metrics || port === undefined) return undefined;
  return serveMetrics(metrics.registry, host, port).catch(explainWhyNot('METRICS_', host, port));
}

/** For a listen that failed: names the variables that it was told by. */
function explainWhyNot(prefix: '' | 'METRICS_', host: string, port: number) {
  return (cause: NodeJS.ErrnoException): never => {
    if (cause.code === 'EADDRINUSE') throw new StartError(`${prefix}PORT ${port} on ${host} is in use`, { cause });
    const where = `${prefix}HOST ${host}, ${prefix}PORT ${port}`;
    throw new StartError(`cannot listen on ${where} (${cause.code ?? 'unknown'})`, { cause });
  };
}

try {
  await start(readConfig(process.env));
} catch (error) {
  process.stderr.write(
    error instanceof StartError ? `furoshiki: ${error.message}\n` : `furoshiki: ${String((error as Error).stack)}\n`,
  );
  process.exit(1);
}
