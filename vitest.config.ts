// One project per package. The sealed format runs twice, because it must be the same in Node and in a real browser.
import { join } from 'node:path';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { CHROMIUM_ARGS, findHeadlessChromium } from './scripts/ensure-programs.mjs';

const chromium = findHeadlessChromium();
/** `npm run test:long` sets it. */
const IS_LONG = process.env['LONG_TESTS'] !== undefined;
/** `npm run test:deploy` and `test:long` set it, if containers can run: building them takes minutes and all processors. */
const HAS_CONTAINERS = process.env['CONTAINER_TESTS'] !== undefined;
// Vitest ignores `--exclude` for projects.
const NOT_NOW = [...(IS_LONG ? [] : ['**/*.long.test.ts']), ...(HAS_CONTAINERS ? [] : ['**/*.container.test.ts'])];

/**
 * These limits only stop what hangs: each test takes a few seconds at most on an idle machine, and a busy one with a slow disk
 * can be many times slower: one that started four servers took more than 90 s beside five other test runs. A test that
 * legitimately takes longer sets its own limit and says why.
 */
const limits = {
  // Vitest's default leaves a processor free for itself: half of a machine with two.
  maxWorkers: 2,
  testTimeout: IS_LONG ? 900_000 : 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 200_000 } },
  // How long a page of the browser may take to load. The default of a minute is too short for a busy machine with an empty cache.
  env: { VITEST_BROWSER_IFRAME_TIMEOUT: '600000' },
};

const inNode = (name: string, folder: string) => ({
  test: {
    ...limits,
    name,
    root: folder,
    // Without isolation the files of a worker share their modules, which halves the processor time.
    isolate: false,
    unstubGlobals: true,
    setupFiles: [join(import.meta.dirname, 'scripts/unstub-globals.ts')],
    restoreMocks: true,
    include: ['**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/planted/**', '**/*.component.test.tsx', ...NOT_NOW],
  },
});

const formatInChromium = (executablePath: string) => ({
  test: {
    ...limits,
    name: 'format-chromium',
    root: 'packages/format',
    include: ['src/**/*.test.ts'],
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      // The start of Chromium on a busy machine.
      connectTimeout: 120_000,
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
    ...limits,
    name: 'web-components',
    root: 'apps/web',
    include: ['src/**/*.component.test.tsx'],
    setupFiles: [join(import.meta.dirname, 'apps/web/testing/setup.ts')],
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
      inNode('format', 'packages/format'),
      ...(chromium ? [formatInChromium(chromium)] : []),
      inNode('api', 'packages/api'),
      inNode('site', 'packages/site'),
      inNode('transfer', 'packages/transfer'),
      inNode('texts', 'packages/texts'),
      inNode('server', 'apps/server'),
      inNode('web', 'apps/web'),
      inNode('cli', 'apps/cli'),
      inNode('verify', 'tools/verify'),
      ...(chromium ? [webComponents(chromium)] : []),
      inNode('scripts', 'scripts'),
      inNode('release', 'tools/release'),
      inNode('deploy', 'deploy'),
    ],
  },
});
