// try.mjs clone <folder> | archive <file> | image <name>: starts a server as a newcomer would, sends a file to it, receives
// that file, and stops the server. It prints how long that took. It needs nothing but the Node that runs it.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findProgram } from './ensure-programs.mjs';
import { ROOT } from './paths.mjs';

const TIMEOUT_MS = 15 * 60_000;

/**
 * @typedef {object} Way
 * @property {string[]} command
 * @property {string} folder
 * @property {string} clone whose client is used
 */

/** @type {Record<string, (what: string, scratch: string, port: string) => Way>} */
const WAYS = {
  clone: (what) => ({ command: ['npm', 'start'], folder: resolve(what), clone: resolve(what) }),
  archive(what, scratch) {
    execFileSync('tar', ['-xzf', resolve(what), '-C', scratch]);
    const name = readdirSync(scratch).find((entry) => entry.startsWith('furoshiki-server-')) ?? '';
    return { command: ['bin/furoshiki-server'], folder: join(scratch, name), clone: ROOT };
  },
  image(what, scratch, port) {
    const program = findProgram('podman', 'docker') ?? 'docker';
    // `--init` is not needed: the server passes no signal on and has no children.
    const options = ['--rm', '--read-only', '--cap-drop=ALL', `--publish=127.0.0.1:${port}:3000`];
    return { command: [program, 'run', ...options, what], folder: scratch, clone: ROOT };
  },
};

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address());
  probe.close();
  await once(probe, 'close');
  return String(port);
}

/** @param {string} url @param {import('node:child_process').ChildProcess} server */
async function untilServed(url, server) {
  const deadlineMs = Date.now() + TIMEOUT_MS;
  while (
    !(await fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`);
    if (Date.now() > deadlineMs) throw new Error('the server does not respond');
    await new Promise((next) => setTimeout(next, 100));
  }
}

const [, , name = '', what = ''] = process.argv;
const way = WAYS[name];
if (!way || what === '') {
  console.error('usage: node scripts/try.mjs clone <folder> | archive <file> | image <name>');
  process.exit(2);
}
const scratch = mkdtempSync(join(tmpdir(), 'furoshiki-try-'));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const { command, folder, clone } = way(what, scratch, port);
const [program = '', ...args] = command;
const startedMs = Date.now();
const server = spawn(program, args, {
  cwd: folder,
  env: { ...process.env, PORT: port, DATA_DIR: join(scratch, 'data') },
  stdio: ['ignore', 'inherit', 'inherit'],
});
try {
  await untilServed(url, server);
  const servedMs = Date.now() - startedMs;
  const bytes = randomBytes(30_000_000);
  const work = join(scratch, 'work');
  mkdirSync(work);
  writeFileSync(join(work, 'a.bin'), bytes);
  /** @param {string[]} words @param {string} [input] */
  const client = (words, input = '') =>
    execFileSync(process.execPath, [join(clone, 'scripts', 'cli.mjs'), ...words], {
      cwd: work,
      env: { ...process.env, HOME: work, FUROSHIKI_SERVER: url },
      input,
      encoding: 'utf8',
    });
  const [link = '', key = ''] = client(['send', 'a.bin', '--quiet']).split('\n');
  client(['receive', link, '-o', 'in', '--quiet'], key);
  if (!readFileSync(join(work, 'in', 'a.bin')).equals(bytes)) throw new Error('another file was received');
  const seconds = (/** @type {number} */ ms) => (ms / 1000).toFixed(1);
  console.log(`served after ${seconds(servedMs)} s, sent and received after ${seconds(Date.now() - startedMs)} s`);
} finally {
  const ended = once(server, 'close');
  server.kill('SIGTERM');
  await ended;
  rmSync(scratch, { recursive: true });
}
