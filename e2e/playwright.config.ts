// Real pages against the real server. Each spec starts the servers that it needs.
import { defineConfig } from '@playwright/test';
import { CHROMIUM_ARGS, findHeadlessChromium } from '../scripts/ensure-chromium.mjs';
import { findPostgres, hasCeph } from '../scripts/ensure-backends.mjs';
import { STEP_MS, TEST_MS } from './support/limits.ts';

const executablePath = findHeadlessChromium();
if (!executablePath) throw new Error('no Chromium found; install it or set CHROMIUM_PATH');

const hasCluster = findPostgres() !== undefined && hasCeph();

export default defineConfig<object, { backends: 'embedded' | 'cluster' }>({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: '../test-results',
  workers: 2,
  timeout: TEST_MS,
  expect: { timeout: STEP_MS },
  // A test that passes only on the second attempt is a defect.
  retries: 0,
  forbidOnly: true,
  reporter: [['line'], ['json', { outputFile: '../.cache/reports/playwright.json' }]],
  projects: [
    // First, because one worker runs all of it: a second one would need a second cluster.
    ...(hasCluster
      ? [
          {
            name: 'cluster',
            // @backends: the result can depend on PostgreSQL and S3. @cluster: the test is about several servers.
            grep: /@backends|@cluster/u,
            workers: 1,
            use: { backends: 'cluster' as const },
          },
        ]
      : []),
    { name: 'embedded', grepInvert: /@cluster/u },
  ],
  use: {
    headless: true,
    launchOptions: { executablePath, args: CHROMIUM_ARGS },
    // Animations take time and prove nothing.
    contextOptions: { reducedMotion: 'reduce' },
    actionTimeout: STEP_MS,
    navigationTimeout: STEP_MS,
  },
});
