// Makes sure that a script runs on the Node version which package.json pins, whatever the machine has.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BIN, ROOT } from './paths.mjs';

/** @type {NodeJS.Signals[]} */
const FORWARDED = ['SIGTERM', 'SIGINT', 'SIGHUP'];

/**
 * Returns at once on the pinned Node; elsewhere it runs the script again on it and never returns.
 * @param {string} scriptUrl import.meta.url of the caller
 * @returns {Promise<void>}
 */
export async function onPinnedNode(scriptUrl) {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  if (process.versions.node === devDependencies.node) return;

  const child = spawn(join(BIN, 'node'), [fileURLToPath(scriptUrl), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`The pinned Node does not start: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    for (const forwarded of FORWARDED) process.removeAllListeners(forwarded);
    process.kill(process.pid, signal);
  });
  await new Promise(() => {});
}
