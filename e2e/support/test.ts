// Playwright's test with a site of its own for each worker, and no patience for errors in the console.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test as base, expect } from '@playwright/test';
import { Cluster } from './cluster.ts';
import { ServerProcess } from './server-process.ts';

/** What a test may know of the site, whatever it stands on. */
export interface Site {
  url: string;
  log: string;
  /** Addresses that sealed bytes are sent to and fetched from. */
  bytes: RegExp;
  /** Keys in the object store, of uploads and files alike. */
  storedKeys(): Promise<string[]>;
}

interface Engines {
  /** embedded: one server with SQLite and its disk. cluster: two servers behind nginx, PostgreSQL and Ceph. */
  engines: 'embedded' | 'cluster';
  cluster: Cluster | undefined;
  server: Site;
}

export const test = base.extend<{ cleanConsole: undefined }, Engines>({
  engines: ['embedded', { scope: 'worker', option: true }],
  cluster: [
    async ({ engines }, use) => {
      const cluster = engines === 'cluster' ? await Cluster.start({ environment: { LOG_LEVEL: 'info' } }) : undefined;
      await use(cluster);
      await cluster?.discard();
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
    async ({ context }, use) => {
      const errors: string[] = [];
      context.on('console', (message) => {
        // A status that a test provokes is the browser's own line, not ours.
        const isNetwork = message.text().startsWith('Failed to load resource');
        if (message.type() === 'error' && !isNetwork) errors.push(message.text());
      });
      context.on('weberror', (error) => errors.push(String(error.error())));
      await use(undefined);
      expect(errors).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect } from '@playwright/test';
