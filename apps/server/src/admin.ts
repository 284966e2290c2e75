// The process of the admin commands: configuration -> the stores of the server -> one command -> exit code.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createSmtpMailer } from './adapters/smtp/smtp-mailer.ts';
import { CommandError, type Tools } from './admin/command.ts';
import { runAdmin } from './admin/run.ts';
import { readConfig } from './config/config.ts';
import { dataPaths } from './config/data-folder.ts';
import { mailSettings } from './config/mail-settings.ts';
import { openMetadata, openObjects } from './open-stores.ts';
import type { MetadataStore } from './ports/metadata-store.ts';
import { createSigner } from './signing.ts';

// As in main.ts: an admin command may be the first to create a file.
process.umask(0o077);

let metadata: Promise<MetadataStore> | undefined;

async function makeTools(): Promise<Tools> {
  const config = readConfig(process.env);
  const mail = mailSettings(config);
  const paths = dataPaths(config.DATA_DIR);
  return {
    config,
    paths,
    clock: { nowMs: () => Date.now() },
    mailer: mail && createSmtpMailer(mail),
    // No command signs a URL, so a random secret is enough.
    ...(await openObjects(config, paths.objects, createSigner(randomBytes(32)))),
    async openMetadata() {
      // Opening would create an empty database, and every command would report zero files.
      if (config.DATABASE_URL === undefined && !existsSync(paths.database))
        throw new CommandError(`there is no database in DATA_DIR ${paths.root}: is it the folder of the server?`);
      metadata ??= openMetadata(config, paths.database);
      return metadata;
    },
  };
}

const { exitCode, stdout, stderr } = await runAdmin(process.argv.slice(2), makeTools);
await metadata?.then(
  (store) => store.close(),
  () => undefined,
);
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = exitCode;
