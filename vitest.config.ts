// One project per room; core is tested twice, because its crypto must be the same in Node and in a real browser.
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { CHROMIUM_ARGS, findChromium } from './scripts/ensure-chromium.mjs';

const chromium = findChromium();

/** Only against hanging, and so with a wide margin: many tests at once may share two cores of a busy machine. */
const patience = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } };

const inNode = (name: string, folder: string) => ({
  test: {
    ...patience,
    name,
    root: folder,
    include: ['**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/planted/**'],
  },
});

const coreInChromium = (executablePath: string) => ({
  test: {
    ...patience,
    name: 'core-chromium',
    root: 'packages/core',
    include: ['**/*.test.ts'],
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      connectTimeout: patience.hookTimeout,
      provider: playwright({ launchOptions: { executablePath, args: CHROMIUM_ARGS } }),
      instances: [{ browser: 'chromium' as const }],
    },
  },
});

export default defineConfig({
  test: {
    projects: [
      inNode('core', 'packages/core'),
      ...(chromium ? [coreInChromium(chromium)] : []),
      inNode('transfer', 'packages/transfer'),
      inNode('locales', 'packages/locales'),
      inNode('server', 'apps/server'),
      inNode('web', 'apps/web'),
      inNode('scripts', 'scripts'),
    ],
  },
});
