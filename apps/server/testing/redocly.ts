// Runs Redocly, which checks API documents and generates clients from them. It cannot reach the network.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';

const CLI = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');

/** Returns what it prints. Throws if it fails. It can write only into `folder`. */
export async function runRedocly(folder: string, ...args: string[]): Promise<string> {
  // Node refuses connections and child processes, so nothing is reported to anyone.
  const permissions = ['--permission', '--allow-fs-read=*', `--allow-fs-write=${folder}`];
  const environment = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout } = await promisify(execFile)(process.execPath, [...permissions, CLI, ...args], {
    cwd: folder,
    env: environment,
    maxBuffer: 10_000_000,
  });
  return stdout;
}
