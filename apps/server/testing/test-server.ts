// A whole server in this process, over a temporary folder, with a clock that tests move.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, readConfig } from '../src/config/config.ts';
import { createServer, type FuroshikiServer, type ServerOverrides } from '../src/server.ts';
import type { Context } from '../src/services/context.ts';
import { fetchFrom } from './inject-fetch.ts';
import { NO_RATE_LIMITS } from './no-rate-limits.ts';
import { makeWebRoot } from './web-root.ts';

/** The origin of a server without a socket. `fetch` of such a server accepts only URLs below it. */
const INJECTED_ORIGIN = 'http://127.0.0.1';

/** No limits, so that a test meets only those that it sets. */
const CONFIG = readConfig({
  PORT: '0',
  MIN_FREE_DISK_BYTES: '0',
  ...NO_RATE_LIMITS,
});

export interface TestServer {
  /** The origin and the base path. */
  url: string;
  /** Sends a request to this server. */
  fetch: (url: string, init?: RequestInit) => Promise<Response>;
  folder: string;
  context: Context;
  /** Moves the server's clock forward. */
  wait(ms: number): void;
  /** Stops the server and keeps its folder for another one. */
  stop(): Promise<void>;
  /** Stops the server and removes its folder. */
  close(): Promise<void>;
}

export interface TestOptions extends Omit<ServerOverrides, 'clock' | 'webRoot'> {
  config?: Partial<Config>;
  /** A data folder that another server has used. Otherwise a new one. */
  dataDir?: string;
  /** Whether the server has web pages. Without them it starts faster. */
  hasPages?: boolean;
}

/** A server without a socket: requests go directly into the app. For everything that does not depend on the transport. */
export async function createTestServer(options: TestOptions = {}): Promise<TestServer> {
  const { server, ...testServer } = await assemble(options);
  await server.app.ready();
  return {
    ...testServer,
    url: INJECTED_ORIGIN + (options.config?.BASE_PATH ?? ''),
    fetch: fetchFrom(server.app, INJECTED_ORIGIN),
  };
}

/** A server that listens on a free port of this machine. */
export async function startTestServer(options: TestOptions = {}): Promise<TestServer> {
  const { server, ...testServer } = await assemble(options);
  return { ...testServer, url: (await server.listen()) + (options.config?.BASE_PATH ?? ''), fetch };
}

async function assemble(options: TestOptions) {
  const { config, dataDir, hasPages = false, ...overrides } = options;
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'furoshiki-test-')));
  let aheadMs = 0;
  const server: FuroshikiServer = await createServer(
    { ...CONFIG, ...config, DATA_DIR: folder },
    {
      clock: { nowMs: () => Date.now() + aheadMs },
      webRoot: await makeWebRoot(folder, hasPages),
      drainMs: 5000,
      ...overrides,
    },
  );
  return {
    server,
    folder,
    context: server.context,
    wait(ms: number) {
      aheadMs += ms;
    },
    stop: () => server.stop(),
    async close() {
      await server.stop();
      await rm(folder, { recursive: true });
    },
  };
}
