// npm test and its parts (npm run test:unit, …): installs what is missing, runs the tests, and prints the counts.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runChecks } from './checks.mjs';
import { ensureBuilt } from './ensure-built.mjs';
import { ensureOtherBrowsers } from './ensure-browsers.mjs';
import { ensureChromium } from './ensure-chromium.mjs';
import { ensurePrograms } from './ensure-debian-packages.mjs';
import { ensureBackends } from './ensure-backends.mjs';
import { ensureContainers } from './ensure-containers.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { BIN, CACHE, ROOT, toolEnv } from './paths.mjs';
import { onPinnedNode } from './pinned-node.mjs';
import { countPlaywright, countRun, countVitest, skippedSuite, summarize } from './summary.mjs';

/**
 * @typedef {object} Suite
 * @property {boolean} [hasChecks]
 * @property {string[]} [vitest] arguments for Vitest; without them it does not run
 * @property {string[]} [playwright] arguments for Playwright; without them it does not run
 * @property {Record<string, string>} [environment]
 */

/** @type {Record<string, Suite>} */
const SUITES = {
  all: { hasChecks: true, vitest: [], playwright: [] },
  unit: { vitest: [] },
  browser: { playwright: ['--project=embedded'] },
  cluster: {
    vitest: ['--project=server', 'adapters/s3', 'adapters/sql/postgres', 'doctor/bucket'],
    playwright: ['--project=cluster'],
  },
  abuse: { playwright: ['--project=embedded', 'abuse/'], environment: { LONG_TESTS: '1' } },
  long: {
    vitest: ['random-faults', 'fuzz', 'traces', 'backup/', 'deploy/'],
    playwright: ['--grep=@long'],
    environment: { LONG_TESTS: '1' },
  },
};

const VITEST_REPORTERS = ['--reporter=default', '--reporter=json', '--outputFile.json=.cache/reports/vitest.json'];

/** Set by a signal. The script then stops the test runner and the backends before it exits. */
let isStopped = false;
/** @type {import('node:child_process').ChildProcess | undefined} */
let running;

/** @param {NodeJS.Signals} signal */
function stop(signal) {
  isStopped = true;
  running?.kill(signal);
}

/**
 * @template Report
 * @param {string} tool
 * @param {string[]} args
 * @param {Record<string, string>} environment
 * @param {(report: Report) => import('./checks.mjs').Count} countReport
 */
async function runTests(tool, args, environment, countReport) {
  const reportFile = join(CACHE, 'reports', `${tool}.json`);
  rmSync(reportFile, { force: true }); // otherwise the report of an earlier run would hide a crash
  console.log(`\n— ${tool}`);
  const exitCode = await new Promise((resolve) => {
    const env = { ...toolEnv(), ...environment };
    running = spawn(join(BIN, tool), args, { cwd: ROOT, env, stdio: 'inherit' });
    running.on('error', () => resolve(null));
    running.on('exit', resolve);
  });
  let report;
  try {
    report = JSON.parse(readFileSync(reportFile, 'utf8'));
  } catch {}
  return countRun(tool, exitCode, report, countReport);
}

/** @param {string[]} args @param {Record<string, string>} environment */
function runVitest(args, environment) {
  // Where containers cannot run, the summary says so. A skipped test would fail in CI.
  const excluded =
    noContainers === undefined ? [] : ['image', 'unit', 'compose'].map((name) => `--exclude=${name}.test.ts`);
  return runTests('vitest', ['run', ...args, ...excluded, ...VITEST_REPORTERS], environment, countVitest);
}

/** @param {string[]} args @param {Record<string, string>} environment */
function runPlaywright(args, environment) {
  const config = ['test', '--config', 'e2e/playwright.config.ts'];
  return runTests('playwright', [...config, ...args], environment, countPlaywright);
}

const suiteName = process.argv[2] ?? 'all';
const suite = SUITES[suiteName];
if (!suite) {
  console.error(`There is no suite "${suiteName}", only ${Object.keys(SUITES).join(', ')}.`);
  process.exit(2);
}
const { hasChecks, vitest, playwright, environment } = suite;
ensureInstalled();
await onPinnedNode(import.meta.url);
const noChromium = ensureChromium();
const noBackends = ensureBackends();
// Tests that need a missing program are skipped, and the reasons are printed at the end.
const programs = [
  'openssl',
  'nginx',
  'caddy',
  'python3',
  'unzip',
  '7zz',
  'bsdtar',
  'promtool',
  'systemd-analyze',
  'faketime',
];
const missing = [ensurePrograms(...programs), ensureOtherBrowsers()];
const noContainers = ensureContainers(suiteName === 'long');
if (noContainers !== undefined) missing.push(`image, unit and compose files were not run: ${noContainers}`);

for (const signal of /** @type {NodeJS.Signals[]} */ (['SIGTERM', 'SIGINT', 'SIGHUP'])) process.on(signal, stop);
const counts = hasChecks ? [await runChecks()] : [];
const { startSharedBackends } = await import('../apps/server/testing/backends.ts');
const backends = await startSharedBackends();
try {
  const shared = { ...backends.environment, ...environment };
  // Browsers need the built web app, and the doctor looks for it.
  ensureBuilt();
  if (vitest && !isStopped) counts.push(await runVitest(vitest, shared));
  if (noChromium) counts.push(skippedSuite('every test in Chromium', noChromium));
  else if (playwright && !isStopped && !(noBackends && suiteName === 'cluster'))
    counts.push(await runPlaywright(playwright, shared));
} catch (error) {
  counts.push({ passed: 0, failed: 1, skipped: 0, reasons: [String(error)] });
} finally {
  await backends.stop();
}

if (noBackends) counts.push(skippedSuite('the cluster', noBackends));
if (isStopped) counts.push({ passed: 0, failed: 1, skipped: 0, reasons: ['the run was stopped'] });
for (const reason of missing) if (reason) counts.push({ passed: 0, failed: 0, skipped: 0, reasons: [reason] });
const { line, reasons, exitCode } = summarize(counts, process.env.CI === 'true');
console.log(['', ...reasons, line].join('\n'));
process.exitCode = exitCode;
