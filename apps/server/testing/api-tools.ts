// Programs that read an API document: Redocly checks it and generates a client, TypeScript checks that client.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../../..');
const REDOCLY = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');
const NO_REPORTS = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** It can write only into `folder`. It cannot connect or start processes, so it cannot send reports. */
export function runRedocly(folder: string, ...args: string[]): Promise<string> {
  const permissions = ['--permission', '--allow-fs-read=*', `--allow-fs-write=${folder}`];
  return run(folder, process.execPath, ...permissions, REDOCLY, ...args);
}

export function checkTypes(folder: string): Promise<string> {
  return run(folder, join(ROOT, 'node_modules/.bin/tsc'), '-p', '.');
}

/** Returns what the program prints. If it fails, throws with what it prints. */
async function run(folder: string, program: string, ...args: string[]): Promise<string> {
  const options = { cwd: folder, env: { ...process.env, ...NO_REPORTS }, maxBuffer: 10_000_000 };
  try {
    return (await promisify(execFile)(program, args, options)).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(stdout + stderr, { cause: error });
  }
}
