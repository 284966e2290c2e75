// Playwright's test with one site per worker. A test fails when the page writes an error to the console.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type BrowserContext, test as base, expect, type Request } from '@playwright/test';
import { sharedCeph } from '../../apps/server/testing/backends.ts';
import { TcpProxy } from '../../apps/server/testing/tcp-proxy.ts';
import { Cluster } from './cluster.ts';
import { ServerProcess } from './server-process.ts';

/** A running site, independent of its backends. */
export interface Site {
  url: string;
  log: string;
  /** Matches the URLs that encrypted bytes are sent to and fetched from. */
  bytes: RegExp;
  /** The keys in the object store, of uploads and of files. */
  storedKeys(): Promise<string[]>;
}

/** A cluster whose servers and browsers reach the store through a proxy, so that a test can simulate an outage. */
type ProxiedCluster = Cluster & { storeProxy: TcpProxy };

interface Backends {
  /** embedded: one server with SQLite and its disk. cluster: two servers behind nginx, PostgreSQL and Ceph. */
  backends: 'embedded' | 'cluster';
  /** Undefined on the embedded backends. */
  cluster: ProxiedCluster | undefined;
  server: Site;
}

export const test = base.extend<{ cleanConsole: undefined }, Backends>({
  backends: ['embedded', { scope: 'worker', option: true }],
  cluster: [
    async ({ backends }, use) => {
      if (backends === 'embedded') return use(undefined);
      const ceph = await sharedCeph();
      const storeProxy = await TcpProxy.start(Number(new URL(ceph.endpoint).port));
      const cluster = await Cluster.start({ ceph, environment: { LOG_LEVEL: 'info', S3_ENDPOINT: storeProxy.url } });
      await use(Object.assign(cluster, { storeProxy }));
      await cluster.discard();
      return storeProxy.discard();
    },
    { scope: 'worker' },
  ],
  server: [
    async ({ cluster }, use) => {
      if (cluster) return use(cluster);
      const server = await ServerProcess.start();
      await use({
        url: server.url,
        get log() {
          return server.log;
        },
        bytes: /\/store\//u,
        async storedKeys() {
          const paths = await readdir(join(server.dataDir, 'objects'), { recursive: true });
          return paths.filter((path) => path.endsWith('/parts'));
        },
      });
      return server.discard();
    },
    { scope: 'worker' },
  ],
  cleanConsole: [
    async ({ context }, use, testInfo) => {
      const errors: string[] = [];
      context.on('console', (message) => {
        // The browser itself logs error statuses, which tests provoke on purpose.
        const isNetwork = message.text().startsWith('Failed to load resource');
        if (message.type() === 'error' && !isNetwork) errors.push(message.text());
      });
      context.on('weberror', (error) => errors.push(String(error.error())));
      const requests = new Map<Request, string>();
      context.on('request', (request) => requests.set(request, 'no response'));
      context.on('requestfinished', (request) => requests.delete(request));
      context.on('requestfailed', (request) => requests.set(request, request.failure()?.errorText ?? 'failed'));
      await use(undefined);
      if (testInfo.status !== testInfo.expectedStatus) throw new Error(await describeState(context, requests));
      expect(errors).toEqual([]);
    },
    { auto: true },
  ],
});

/** For a failure that cannot be repeated: what each page shows, and which requests did not end. */
async function describeState(context: BrowserContext, requests: ReadonlyMap<Request, string>): Promise<string> {
  const texts = context.pages().map(async (page) => {
    const text = await page.locator('main').innerText({ timeout: 1000 }).catch(String);
    return `${page.url().replace(/#.*/u, '')} shows: ${text.replaceAll(/\s+/gu, ' ').slice(0, 400)}`;
  });
  const open = [...requests].map(([request, state]) => `${request.method()} ${request.url().slice(0, 200)}: ${state}`);
  return [...(await Promise.all(texts)), ...open.slice(-10)].join(' | ');
}

export { expect } from '@playwright/test';
