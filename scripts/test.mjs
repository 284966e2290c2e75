// npm test: the checks, the unit tests and the browser tests, and one last line that counts them all.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runChecks } from './checks.mjs';
import { ensureBuilt } from './ensure-built.mjs';
import { ensureOtherBrowsers } from './ensure-browsers.mjs';
import { ensureChromium } from './ensure-chromium.mjs';
import { ensurePrograms } from './ensure-debian-packages.mjs';
import { ensureEngines } from './ensure-engines.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { BIN, CACHE, ROOT, toolEnv } from './paths.mjs';
import { onPinnedNode } from './pinned-node.mjs';
import { countPlaywright, countRun, countVitest, skippedSuite, summarize } from './summary.mjs';

/**
 * @template Report
 * @param {string} tool
 * @param {string[]} args
 * @param {(report: Report) => import('./checks.mjs').Count} countReport
 */
async function runTests(tool, args, countReport) {
  const reportFile = join(CACHE, 'reports', `${tool}.json`);
  rmSync(reportFile, { force: true }); // or a crash would be read as the last run's success
  console.log(`\n— ${tool}`);
  const exitCode = await new Promise((resolve) => {
    const child = spawn(join(BIN, tool), args, { cwd: ROOT, env: toolEnv(), stdio: 'inherit' });
    child.on('error', () => resolve(null));
    child.on('exit', resolve);
  });
  let report;
  try {
    report = JSON.parse(readFileSync(reportFile, 'utf8'));
  } catch {}
  return countRun(tool, exitCode, report, countReport);
}

async function runBrowserTests() {
  try {
    ensureBuilt();
  } catch (error) {
    return { passed: 0, failed: 1, skipped: 0, reasons: [String(error)] };
  }
  return runTests('playwright', ['test', '--config', 'e2e/playwright.config.ts'], countPlaywright);
}

ensureInstalled();
await onPinnedNode(import.meta.url);
const noChromium = ensureChromium();
// Specs that need one of them skip themselves without it; the reasons are told at the end.
const missing = [ensurePrograms('openssl', 'nginx', 'caddy'), ensureOtherBrowsers(), ensureEngines()];

const reporters = ['--reporter=default', '--reporter=json', '--outputFile.json=.cache/reports/vitest.json'];
const counts = [
  await runChecks(),
  await runTests('vitest', ['run', ...reporters], countVitest),
  ...(noChromium
    ? [skippedSuite('core in Chromium', noChromium), skippedSuite('e2e', noChromium)]
    : [await runBrowserTests()]),
];

for (const reason of missing) if (reason) counts.push({ passed: 0, failed: 0, skipped: 0, reasons: [reason] });
const { line, reasons, exitCode } = summarize(counts, process.env.CI === 'true');
console.log(['', ...reasons, line].join('\n'));
process.exitCode = exitCode;
