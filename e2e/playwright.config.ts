// Real pages against the real server; each spec starts the servers that it needs.
import { defineConfig } from '@playwright/test';
import { findPostgres, hasCeph } from '../scripts/ensure-engines.mjs';
import { CHROMIUM_ARGS, findChromium } from '../scripts/ensure-chromium.mjs';

const executablePath = findChromium();
if (!executablePath) throw new Error('no Chromium found; install it or set CHROMIUM_PATH');

/** These start the servers that they need themselves, and are about those. */
const SERVERS_OF_THEIR_OWN = [
  'analytics',
  'base-path',
  'chaos',
  'crash',
  'download-engine',
  'headers',
  'many-servers',
  'other-browsers',
  'pages',
  'proxies',
  'private-instance',
  'shutdown',
  'start-up',
  'tampering',
  'tls',
  'torture',
  'upload-engine',
].map((name) => `**/${name}.spec.ts`);
/** How screens look and what they tell for a moment, whatever the servers are. */
const SCREENS_ALONE = ['accessibility', 'first-load', 'half-way', 'moments'].map((name) => `**/${name}.spec.ts`);
const CLUSTER_ALONE = ['**/cross-origin.spec.ts', '**/outage.spec.ts'];
const hasCluster = findPostgres() !== undefined && hasCeph();

export default defineConfig<object, { engines: 'embedded' | 'cluster' }>({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: '../test-results',
  workers: 2,
  // Only against hanging, and so with a wide margin: all of this may share two cores of a machine that is busy with more.
  timeout: 600_000,
  expect: { timeout: 120_000 },
  // A test that passes on the second try is a defect, not a pass.
  retries: 0,
  forbidOnly: true,
  reporter: [['line'], ['json', { outputFile: '../.cache/reports/playwright.json' }]],
  // All that people do is tried twice: on one machine, and on many.
  projects: [
    { name: 'embedded', testIgnore: CLUSTER_ALONE },
    ...(hasCluster
      ? [
          {
            name: 'cluster',
            testIgnore: [...SERVERS_OF_THEIR_OWN, ...SCREENS_ALONE],
            use: { engines: 'cluster' as const },
          },
        ]
      : []),
  ],
  use: { headless: true, launchOptions: { executablePath, args: CHROMIUM_ARGS } },
});
