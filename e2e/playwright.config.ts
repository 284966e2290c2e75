// Real pages against the real server. Each spec starts the servers that it needs.
import { defineConfig } from '@playwright/test';
import { CHROMIUM_ARGS, findHeadlessChromium } from '../scripts/ensure-programs.mjs';
import { findPostgres, hasCeph } from '../scripts/ensure-backends.mjs';
import { STEP_MS, TEST_MS } from './support/limits.ts';
import { IS_LONG } from './support/long.ts';

const executablePath = findHeadlessChromium();
if (!executablePath) throw new Error('no Chromium found; install it or set CHROMIUM_PATH');

const hasCluster = findPostgres() !== undefined && hasCeph();

/** Several runs may happen at the same time: each has its own report and results. scripts/test.mjs sets their names. */
const run = process.env['TEST_STEP'] ?? 'playwright';
/** Without LONG_TESTS, `npm test` runs a short version of each test that is tagged @long, and none tagged @only-long. */
const notNow = IS_LONG ? [] : [/@only-long/u];

export default defineConfig<object, { backends: 'embedded' | 'cluster' }>({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: `../test-results/${run}`,
  // More than the processors of a small machine: most tests wait most of the time.
  workers: 4,
  timeout: TEST_MS,
  expect: { timeout: STEP_MS },
  // A test that passes only on the second attempt is a defect.
  retries: 0,
  forbidOnly: true,
  reporter: [['line'], ['json', { outputFile: `../.cache/reports/${run}.json` }]],
  projects: [
    ...(hasCluster
      ? [
          {
            name: 'cluster',
            // @backends: the result can depend on PostgreSQL and S3. @cluster: the test is about several servers.
            grep: /@backends|@cluster/u,
            grepInvert: [/@alone/u, ...notNow],
            // A second one would need a second cluster.
            workers: 1,
            use: { backends: 'cluster' as const },
          },
        ]
      : []),
    { name: 'embedded', grepInvert: [/@cluster|@alone/u, ...notNow] },
    // @alone: the test needs the whole machine, because it measures, because its own clients use all of it, or because it starts
    // five servers and a browser of its own.
    { name: 'alone', grep: /@alone/u, grepInvert: hasCluster ? notNow : [/@cluster/u, ...notNow], workers: 1 },
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
