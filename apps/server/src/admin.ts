// The process of the admin commands: configuration -> the stores of the server -> one command -> exit code.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createSmtpMailer } from './adapters/smtp/smtp-mailer.ts';
import { CommandError, type Tools } from './admin/command.ts';
import { runAdmin } from './admin/run.ts';
import { findMisspelt, readConfig } from './config/config.ts';
import { dataPaths } from './config/data-folder.ts';
import { mailSettings } from './config/settings.ts';
import { WEB_ROOT } from './config/web-root.ts';
import { embeddedStores, inspectMetadata, openMetadata, openObjects } from './open-stores.ts';
import { createSigner } from './signing.ts';

// As in main.ts: an admin command may be the first to create a file.
process.umask(0o077);

const opened: { close(): Promise<void> }[] = [];

function makeTools(): Tools {
  const config = readConfig(process.env);
  const paths = dataPaths(config.DATA_DIR);
  const clock = { nowMs: () => Date.now() };
  const hasDatabase = () => config.DATABASE_URL !== undefined || existsSync(paths.database);
  return {
    config,
    misspelt: findMisspelt(process.env),
    paths,
    webRoot: WEB_ROOT,
    clock,
    openMailer() {
      const mail = mailSettings(config);
      return mail && createSmtpMailer(mail);
    },
    // No command signs a URL, so a random secret is enough.
    openObjects: once(() => openObjects(config, paths.objects, createSigner(randomBytes(32)))),
    openMetadata: once(async () => {
      // Opening would create an empty database, and every command would report zero files.
      if (!hasDatabase())
        throw new CommandError(`there is no database in DATA_DIR ${paths.root}: is it the folder of the server?`);
      const metadata = await openMetadata(config, paths.database);
      opened.push(metadata);
      return metadata;
    }),
    inspectMetadata: once(async () => {
      if (!hasDatabase()) return undefined;
      const inspected = await inspectMetadata(config, paths.database);
      if (inspected.metadata) opened.push(inspected.metadata);
      return inspected;
    }),
    embedded: embeddedStores(config, paths, clock),
    untilSignal,
  };
}

/** Every call returns the result of the first one, also if that failed. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}

function untilSignal(): AbortSignal {
  const stopped = new AbortController();
  // The second signal ends the process.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => stopped.abort(new CommandError(`stopped by ${signal}`)));
  return stopped.signal;
}

const { exitCode, stdout, stderr } = await runAdmin(process.argv.slice(2), makeTools);
for (const store of opened) await store.close();
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = exitCode;
