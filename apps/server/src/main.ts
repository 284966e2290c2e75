// Composition root: configuration -> adapters -> services -> routes -> listen.
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { createDiskStore } from './adapters/disk/disk-store.ts';
import { createSqlMetadataStore } from './adapters/sql/metadata-store.ts';
import { openSqlite } from './adapters/sql/sqlite.ts';
import { type Config, readConfig, StartError } from './config.ts';
import { openDataFolder } from './data-folder.ts';
import { createApp } from './http/app.ts';
import { createDrain } from './http/drain.ts';
import { renewTls } from './http/transport.ts';
import { runSweeper } from './jobs/sweeper.ts';
import type { Context } from './services/context.ts';
import { createSigner } from './signing.ts';
import { readTlsPair } from './tls-pair.ts';

const WEB_ROOT = fileURLToPath(new URL('../../web/dist', import.meta.url));
/** What still runs this long after the signal to stop is cut off; every client can go on from there. */
const DRAIN_MS = 30_000;

async function start(config: Config): Promise<void> {
  const tls = await readTlsPair(config);
  const basePath = config.BASE_PATH ?? '';
  const folder = await openDataFolder(config.DATA_DIR, config.SECRET);
  const signer = createSigner(folder.secret);
  const store = createDiskStore(folder.objects, signer);
  const context: Context = {
    metadata: await createSqlMetadataStore(openSqlite(folder.database)),
    objects: store,
    clock: { nowMs: () => Date.now() },
    newId: () => randomBytes(16).toString('base64url'),
    hashAddress: (address, day) => signer.sign('address', day, address),
    limits: {
      allowUnencrypted: config.ALLOW_UNENCRYPTED,
      maxStoredBytes: config.MAX_STORED_BYTES,
      minFreeDiskBytes: config.MIN_FREE_DISK_BYTES,
      maxDailyUploadBytes: config.MAX_DAILY_UPLOAD_BYTES,
      uploadToken: config.UPLOAD_TOKEN,
      contactEmail: undefined,
    },
  };
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
    },
    tls,
    servedStore: store,
    webRoot: WEB_ROOT,
  });
  const drain = createDrain(app, DRAIN_MS);
  const address = await app.listen({ host: config.HOST, port: config.PORT }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EADDRINUSE') throw new StartError(`PORT ${config.PORT} on ${config.HOST} is in use`, { cause });
    throw new StartError(`cannot listen on HOST ${config.HOST}, PORT ${config.PORT} (${cause.code ?? 'unknown'})`, {
      cause,
    });
  });

  const stopping = new AbortController();
  const sweeping = runSweeper(context, app.log, stopping.signal);
  async function stop(): Promise<void> {
    if (stopping.signal.aborted) return;
    stopping.abort();
    await drain();
    await sweeping;
    await context.metadata.close();
  }
  process.on('SIGTERM', () => void stop());
  process.on('SIGINT', () => void stop());
  if (tls) process.on('SIGHUP', () => void renewCertificate(app, config));
  process.stdout.write(`Furoshiki serves ${config.PUBLIC_ORIGIN ?? address}${basePath}\n`);
}

async function renewCertificate(app: FastifyInstance, config: Config): Promise<void> {
  try {
    const tls = await readTlsPair(config);
    if (tls) renewTls(app, tls);
  } catch (error) {
    app.log.error(`the certificate in use is kept: ${(error as Error).message}`);
  }
}

try {
  await start(readConfig(process.env));
} catch (error) {
  process.stderr.write(
    error instanceof StartError ? `furoshiki: ${error.message}\n` : `furoshiki: ${String((error as Error).stack)}\n`,
  );
  process.exit(1);
}
