// The server's process: reads the configuration, starts the server, stops it on a signal.
import { setFlagsFromString } from 'node:v8';
import { type Config, findMisspelt, readConfig, StartError } from './config/config.ts';
import { createServer } from './server.ts';

// Request bodies pass through buffers outside of V8's heap. V8 compares them with the size of the heap, which is small here,
// and without this flag runs a full garbage collection dozens of times for each gigabyte received.
setFlagsFromString('--heap-growing-percent=400');

// What the server writes, other users of the machine cannot read, whatever the mode of DATA_DIR.
process.umask(0o077);

async function start(config: Config): Promise<void> {
  const server = await createServer(config, {}, printError);
  const url = await server.listen();
  server.startJobs();
  process.on('SIGTERM', () => void server.stop());
  process.on('SIGINT', () => void server.stop());
  if (config.TLS_CERT_FILE !== undefined) process.on('SIGHUP', () => void server.renewCertificate());
  process.stdout.write(`Furoshiki serves ${config.PUBLIC_ORIGIN ?? url}${config.BASE_PATH ?? ''}\n`);
}

function printError(text: string): void {
  process.stderr.write(`furoshiki: ${text}\n`);
}

for (const warning of findMisspelt(process.env)) printError(warning);
try {
  await start(readConfig(process.env));
} catch (error) {
  printError(error instanceof StartError ? error.message : String((error as Error).stack));
  process.exit(1);
}
