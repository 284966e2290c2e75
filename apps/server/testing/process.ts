// Runs main.ts and admin.ts as separate processes, as an operator does.
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMPILED } from '../../../scripts/paths.mjs';

export type Environment = Record<string, string>;

export interface Exit {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface ServerProcess {
  url: string;
  /** Everything printed so far, on stdout and stderr. */
  log(): string;
  /** Sends SIGHUP. */
  hangUp(): void;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL and waits for the end. */
  kill(): Promise<void>;
}

/** `onError` is called with what the server prints on stderr, also before it is ready. */
export async function startServerProcess(
  environment: Environment,
  onError?: (text: string) => void,
): Promise<ServerProcess> {
  const { PORT: port = String(await freePort()) } = environment;
  const child = spawnEntry('main', [], { ...environment, PORT: port });
  let log = '';
  child.stderr.on('data', (text) => {
    log += text;
    onError?.(String(text));
  });
  await new Promise<void>((resolve, reject) => {
    // The server prints one line when it is ready.
    child.stdout.on('data', (text) => {
      log += text;
      resolve();
    });
    child.once('exit', () => reject(new Error(`the server did not start: ${log}`)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    log: () => log,
    hangUp: () => void child.kill('SIGHUP'),
    async stop() {
      child.kill('SIGTERM');
      const [code] = (await once(child, 'close')) as [number | null];
      return code;
    },
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
}

export async function runToExit(
  entry: 'main' | 'admin',
  args: string[],
  environment: Environment,
  user?: number,
): Promise<Exit> {
  const child = spawnEntry(entry, args, environment, user);
  const exit: Exit = { code: null, stdout: '', stderr: '' };
  child.stdout.on('data', (text) => (exit.stdout += text));
  child.stderr.on('data', (text) => (exit.stderr += text));
  [exit.code] = (await once(child, 'close')) as [number | null];
  return exit;
}

/**
 * Below the ports that Linux gives to outgoing connections (32768 and above): a connection of another test could take such a port
 * before the program listens on it.
 */
const PORTS = [10_000, 32_000] as const;

export async function freePort(): Promise<number> {
  const port = randomInt(...PORTS);
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch {
    return freePort();
  }
  probe.close();
  await once(probe, 'close');
  return port;
}

/** Whether this process is root, and the user can read this repository. */
export function canRunAs(user: number): boolean {
  if (process.getuid?.() !== 0) return false;
  return spawnSync(process.execPath, ['--check', pathOf('main')], { uid: user, gid: user }).status === 0;
}

/** For tests that send signals, or use stdin. The group has the number of the user. */
export function spawnEntry(
  entry: 'main' | 'admin',
  args: string[],
  environment: Environment,
  user?: number,
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [pathOf(entry), ...args], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: COMPILED, ...environment },
    ...(user !== undefined && { uid: user, gid: user }),
  });
}

/**
 * `npm test` sets BUNDLED to a folder with what a release contains: it starts in half of the processor time. A test that is started
 * alone runs the sources, which are never older than what is edited.
 */
function pathOf(entry: 'main' | 'admin'): string {
  const { BUNDLED } = process.env;
  if (BUNDLED !== undefined) return join(BUNDLED, 'server', entry === 'main' ? 'server.mjs' : 'admin.mjs');
  return fileURLToPath(new URL(`../src/${entry}.ts`, import.meta.url));
}
