// npm run dev: runs the server, which restarts on change, behind Vite's dev server with hot reload.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ensureInstalled } from './ensure-installed.mjs';
import { BIN, ROOT, toolEnv } from './paths.mjs';
import { onPinnedNode } from './pinned-node.mjs';

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address());
  probe.close();
  await once(probe, 'close');
  return String(port);
}

ensureInstalled();
await onPinnedNode(import.meta.url);

const publicPort = process.env.PORT ?? '3000';
const serverPort = await freePort();

const children = [
  spawn(process.execPath, ['--watch', '--watch-preserve-output', join(ROOT, 'apps/server/src/main.ts')], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...toolEnv(), PORT: serverPort },
  }),
  spawn(join(BIN, 'vite'), ['--port', publicPort, '--strictPort'], {
    cwd: join(ROOT, 'apps', 'web'),
    stdio: 'inherit',
    env: { ...toolEnv(), FUROSHIKI_DEV_SERVER: `http://127.0.0.1:${serverPort}` },
  }),
];

// Neither process is useful without the other, so both stop together.
/** @param {NodeJS.Signals} signal */
const stopAll = (signal) => children.forEach((child) => child.kill(signal));
for (const signal of /** @type {NodeJS.Signals[]} */ (['SIGTERM', 'SIGINT', 'SIGHUP'])) process.on(signal, stopAll);
for (const child of children) child.on('exit', () => stopAll('SIGTERM'));
