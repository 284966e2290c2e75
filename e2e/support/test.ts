// Playwright's test with a server of its own for each worker, and no patience for errors in the console.
import { test as base, expect } from '@playwright/test';
import { ServerProcess } from './server-process.ts';

export const test = base.extend<{ cleanConsole: undefined }, { server: ServerProcess }>({
  server: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads a fixture's needs from this pattern
    async ({}, use) => {
      const server = await ServerProcess.start();
      await use(server);
      await server.discard();
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
