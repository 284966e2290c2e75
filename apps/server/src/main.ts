// Composition root: configuration -> adapters -> services -> routes -> listen.
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { createDiskStore } from './adapters/disk/disk-store.ts';
import { createSmtpMailer } from './adapters/smtp/smtp-mailer.ts';
import { createSqlMetadataStore } from './adapters/sql/metadata-store.ts';
import { openSqlite } from './adapters/sql/sqlite.ts';
import { type Config, readConfig, StartError } from './config.ts';
import { openDataFolder } from './data-folder.ts';
import { createApp } from './http/app.ts';
import { runMailOutbox } from './jobs/mail-outbox.ts';
import { runSweeper } from './jobs/sweeper.ts';
import { mailSettings } from './mail-settings.ts';
import type { Context } from './services/context.ts';
import { createSigner } from './signing.ts';

const WEB_ROOT = fileURLToPath(new URL('../../web/dist', import.meta.url));
/** What still runs this long after the signal to stop is cut off; every client can go on from there. */
const DRAIN_MS = 30_000;

async function start(config: Config): Promise<void> {
  const mail = mailSettings(config);
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
      contactEmail: config.CONTACT_EMAIL,
    },
    sendsMail: mail !== undefined,
  };
  const app = await createApp({
    context,
    signer,
    publicOrigin: config.PUBLIC_ORIGIN,
    trustProxy: config.TRUST_PROXY,
    rateLimits: {
      token: config.TOKENS_PER_HOUR,
      upload: config.UPLOADS_PER_HOUR,
      download: config.DOWNLOADS_PER_HOUR,
      delete: config.DELETES_PER_HOUR,
      contact: config.CONTACTS_PER_HOUR,
      report: config.REPORTS_PER_HOUR,
    },
    servedStore: store,
    webRoot: WEB_ROOT,
  });
  const address = await app.listen({ host: config.HOST, port: config.PORT }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EADDRINUSE') throw new StartError(`PORT ${config.PORT} on ${config.HOST} is in use`, { cause });
    throw new StartError(`cannot listen on HOST ${config.HOST}, PORT ${config.PORT} (${cause.code ?? 'unknown'})`, {
      cause,
    });
  });

  const stopping = new AbortController();
  const sweeping = runSweeper(context, app.log, stopping.signal);
  const mailing = mail && runMailOutbox(context, createSmtpMailer(mail), app.log, stopping.signal);
  async function stop(): Promise<void> {
    if (stopping.signal.aborted) return;
    stopping.abort();
    const cutOff = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
    // A connection that was busy when the signal came is kept alive after its answer, unless somebody closes it.
    const closeIdle = setInterval(() => app.server.closeIdleConnections(), 100);
    await app.close();
    clearInterval(closeIdle);
    clearTimeout(cutOff);
    await sweeping;
    await mailing;
    await context.metadata.close();
  }
  process.on('SIGTERM', () => void stop());
  process.on('SIGINT', () => void stop());
  process.stdout.write(`Furoshiki serves ${config.PUBLIC_ORIGIN ?? address}\n`);
}

try {
  await start(readConfig(process.env));
} catch (error) {
  process.stderr.write(
    error instanceof StartError ? `furoshiki: ${error.message}\n` : `furoshiki: ${String((error as Error).stack)}\n`,
  );
  process.exit(1);
}
