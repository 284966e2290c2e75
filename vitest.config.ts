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
    exclude: ['**/node_modules/**', '**/dist/**', '**/planted/**', '**/*.component.test.tsx'],
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

/** The web app over fake services, in one page of one real browser. */
const webComponents = (executablePath: string) => ({
  extends: './apps/web/vite.config.ts',
  // All that the app imports, so that no dependency is found, and the page reloaded, in the middle of a test.
  optimizeDeps: { entries: ['src/main.tsx', 'src/**/*.component.test.tsx'], include: ['axe-core'] },
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
    name: 'web-components',
    root: 'apps/web',
    include: ['src/**/*.component.test.tsx'],
    setupFiles: ['testing/setup.ts'],
    isolate: false,
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      testerHtmlPath: 'testing/tester.html',
      // Names and texts match by a part of them, as in the end-to-end tests.
      locators: { exact: false },
      provider: playwright({
        launchOptions: { executablePath, args: CHROMIUM_ARGS },
        contextOptions: { reducedMotion: 'reduce' as const },
      }),
      instances: [{ browser: 'chromium' as const, viewport: { width: 1280, height: 900 } }],
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
      ...(chromium ? [webComponents(chromium)] : []),
      inNode('scripts', 'scripts'),
    ],
  },
});
