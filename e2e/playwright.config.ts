// Real pages against the real server; each spec starts the servers that it needs.
import { defineConfig } from '@playwright/test';
import { CHROMIUM_ARGS, findChromium } from '../scripts/ensure-chromium.mjs';

const executablePath = findChromium();
if (!executablePath) throw new Error('no Chromium found; install it or set CHROMIUM_PATH');

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: '../test-results',
  workers: 2,
  // Only against hanging: two browsers and their servers share what may be two busy cores.
  timeout: 60_000,
  expect: { timeout: 15_000 },
  // A test that passes on the second try is a defect, not a pass.
  retries: 0,
  forbidOnly: true,
  reporter: [['line'], ['json', { outputFile: '../.cache/reports/playwright.json' }]],
  use: { headless: true, launchOptions: { executablePath, args: CHROMIUM_ARGS } },
});
