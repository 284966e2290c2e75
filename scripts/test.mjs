// npm test and its parts (npm run test:unit, …): installs what is missing, runs the tests, and prints the counts.
import { fork, spawn, spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './ensure-built.mjs';
import { ensureChromium, ensureContainers, ensureOtherBrowsers, ensurePrograms } from './ensure-programs.mjs';
import { ensureBackends } from './ensure-backends.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { BIN, CACHE, ROOT, toolEnv } from './paths.mjs';
import { onPinnedNode } from './pinned-node.mjs';
import { countPlaywright, countRun, countVitest, skippedSuite, summarize } from './summary.mjs';

/**
 * @typedef {object} Step one run of a test runner
 * @property {'vitest' | 'playwright'} tool
 * @property {string} name of its report and of its folder for results
 * @property {string[]} args
 */
/**
 * @typedef {object} Suite
 * @property {boolean} [hasChecks]
 * @property {Step[][]} groups run one after the other; the steps of a group run at the same time
 * @property {Record<string, string>} [environment]
 */

/** @param {string} name @param {string[]} args @returns {Step} */
const vitest = (name, ...args) => ({ tool: 'vitest', name, args: ['run', ...args] });
/** @param {string} project @param {string[]} args @returns {Step} */
const playwright = (project, ...args) => ({
  tool: 'playwright',
  name: project,
  args: ['test', '--config', 'e2e/playwright.config.ts', `--project=${project}`, ...args],
});

/** @type {Record<string, Suite>} */
const SUITES = {
  all: {
    hasChecks: true,
    // The cluster has one worker, which mostly waits. The tests that need the machine for themselves are the last.
    groups: [[vitest('vitest'), playwright('cluster')], [playwright('embedded')], [playwright('alone')]],
  },
  unit: { groups: [[vitest('vitest')]] },
  deploy: { groups: [[vitest('deploy', '--project=deploy')]] },
  browser: { groups: [[playwright('embedded')]] },
  cluster: {
    groups: [
      [vitest('vitest', '--project=server', 'adapters/s3', 'adapters/sql/postgres', 'doctor/bucket')],
      [playwright('cluster')],
      [playwright('alone', 'cluster/')],
    ],
  },
  abuse: { groups: [[playwright('alone', 'abuse/')]], environment: { LONG_TESTS: '1' } },
  long: {
    groups: [
      [vitest('vitest', 'random-faults', 'fuzz', 'traces', 'backup/', 'deploy/', '.long.test')],
      [playwright('cluster', '--grep=@long')],
      [playwright('embedded', '--grep=@long')],
    ],
    environment: { LONG_TESTS: '1' },
  },
};

/** Set by a signal. The script then stops the test runners and the backends before it exits. */
let isStopped = false;
/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

/** @param {NodeJS.Signals} signal */
function stop(signal) {
  isStopped = true;
  for (const child of running) child.kill(signal);
}

/** Runs beside the installation and the build, which block this process. @returns {Promise<import('./summary.mjs').Count>} */
function startChecks() {
  const child = fork(join(ROOT, 'scripts', 'check.mjs'));
  running.add(child);
  return new Promise((resolve) => {
    child.on('message', (count) => resolve(/** @type {import('./summary.mjs').Count} */ (count)));
    child.on('exit', (code) => {
      running.delete(child);
      resolve({ passed: 0, failed: 1, skipped: 0, reasons: [`the checks ended with exit code ${code}`] });
    });
  });
}

/**
 * @param {Step} step
 * @param {Record<string, string>} environment
 * @param {boolean} isShown at once; otherwise at its end, because two runners would write into each other's lines
 */
async function runStep({ tool, name, args }, environment, isShown) {
  const reportFile = join(CACHE, 'reports', `${name}.json`);
  rmSync(reportFile, { force: true }); // otherwise the report of an earlier run would hide a crash
  if (isShown) console.log(`\n— ${name}`);
  const startMs = Date.now();
  let output = '';
  const exitCode = await new Promise((resolve) => {
    const child = spawn(join(BIN, tool), [...args, ...(tool === 'vitest' ? vitestOptions(reportFile) : [])], {
      cwd: ROOT,
      env: { ...toolEnv(), ...environment, TEST_STEP: name },
      stdio: isShown ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', () => resolve(null));
    child.on('close', (code) => {
      running.delete(child);
      resolve(code);
    });
  });
  if (!isShown) console.log(`\n— ${name}\n${output.trimEnd()}`);
  console.log(`${name}: ${Math.round((Date.now() - startMs) / 1000)} s`);
  let report;
  try {
    report = JSON.parse(readFileSync(reportFile, 'utf8'));
  } catch {}
  return tool === 'vitest'
    ? countRun(name, exitCode, report, countVitest)
    : countRun(name, exitCode, report, countPlaywright);
}

/** @param {string} reportFile */
function vitestOptions(reportFile) {
  return ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
}

/** What a release contains, for tests that start a server or the command line client. @returns {string} its folder */
function bundle() {
  const folder = join(CACHE, 'bundled');
  const write = (/** @type {string} */ script, /** @type {string} */ name) => {
    const args = [join(ROOT, 'tools', 'release', script), join(folder, name)];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${script} failed: ${stderr}`);
  };
  write('server-bundle.mjs', 'server');
  write('pack-cli.mjs', 'cli');
  return folder;
}

/** Of all programs that were started and have ended. Only Linux counts it. @returns {string[]} */
function processorTime() {
  try {
    // The name of the program may contain spaces, and ends with the last parenthesis.
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /su, '')
      .split(' ');
    const ticks = Number(fields[13]) + Number(fields[14]);
    return [`${Math.round(ticks / 100)} s of processor time, ${Math.round(process.uptime())} s in all`];
  } catch {
    return [];
  }
}

const suiteName = process.argv[2] ?? 'all';
const suite = SUITES[suiteName];
if (!suite) {
  console.error(`There is no suite "${suiteName}", only ${Object.keys(SUITES).join(', ')}.`);
  process.exit(2);
}
ensureInstalled();
await onPinnedNode(import.meta.url);
for (const signal of /** @type {NodeJS.Signals[]} */ (['SIGTERM', 'SIGINT', 'SIGHUP'])) process.on(signal, stop);
const checks = suite.hasChecks ? startChecks() : undefined;
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
// Building an image takes minutes and all processors, so only these suites do it. vitest.config.ts reads the variable.
const needsContainers = ['deploy', 'long'].includes(suiteName);
const noContainers = needsContainers ? ensureContainers(suiteName === 'long') : undefined;
if (noContainers !== undefined) missing.push(`image, unit and compose files were not run: ${noContainers}`);
const hasContainers = needsContainers && noContainers === undefined;

/** @type {import('./summary.mjs').Count[]} */
const counts = [];
const { startSharedBackends } = await import('../apps/server/testing/backends.ts');
const backends = await startSharedBackends();
try {
  // Browsers need the built web app, and the doctor looks for it.
  ensureBuilt();
  const BUNDLED = bundle();
  if (checks) counts.push(await checks);
  const isPossible = (/** @type {Step} */ { tool, name }) =>
    tool === 'vitest' || (!noChromium && !(noBackends && [name, suiteName].includes('cluster')));
  for (const group of suite.groups) {
    if (isStopped) break;
    const steps = group.filter(isPossible);
    const environment = {
      ...backends.environment,
      ...suite.environment,
      BUNDLED,
      ...(hasContainers && { CONTAINER_TESTS: '1' }),
    };
    counts.push(...(await Promise.all(steps.map((step, index) => runStep(step, environment, index === 0)))));
  }
} catch (error) {
  counts.push({ passed: 0, failed: 1, skipped: 0, reasons: [String(error)] });
} finally {
  await backends.stop();
}

if (noChromium) counts.push(skippedSuite('every test in Chromium', noChromium));
if (noBackends) counts.push(skippedSuite('the cluster', noBackends));
if (isStopped) counts.push({ passed: 0, failed: 1, skipped: 0, reasons: ['the run was stopped'] });
for (const reason of missing) if (reason) counts.push({ passed: 0, failed: 0, skipped: 0, reasons: [reason] });
const { line, reasons, exitCode } = summarize(counts, process.env.CI === 'true');
console.log(['', ...reasons, line, ...processorTime()].join('\n'));
process.exitCode = exitCode;
