// Turns the reports of the test runners into counts and the names of failed tests. A broken run is never counted as a pass.
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ROOT } from './paths.mjs';

/** @typedef {{ passed: number, failed: number, skipped: number, reasons: string[] }} Count */

/**
 * @typedef {object} VitestReport
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {{ name: string, status: string, assertionResults: VitestResult[] }[]} testResults
 */
/** @typedef {{ status: string, fullName: string, failureMessages: string[] }} VitestResult */
/**
 * @typedef {object} PlaywrightReport
 * @property {{ expected: number, unexpected: number, flaky: number, skipped: number }} stats
 * @property {{ message?: string }[]} errors
 * @property {PlaywrightSuite[]} suites
 */
/** @typedef {{ specs: PlaywrightSpec[], suites?: PlaywrightSuite[] }} PlaywrightSuite */
/** @typedef {{ title: string, file: string, line: number, ok: boolean, tests: { results: { errors: { message?: string }[] }[] }[] }} PlaywrightSpec */

/**
 * One line, because a CI service may keep only the end of the output.
 * @param {string} file @param {string} title @param {(string | undefined)[]} messages
 */
function failure(file, title, messages) {
  const firstLines = messages.map((message = '') => stripVTControlCharacters(message).split('\n')[0]);
  return ['failed', file, title, ...firstLines.filter(Boolean)].join(': ');
}

/** @param {VitestReport} report @returns {Count} */
export function countVitest(report) {
  // A file that throws while it is loaded has no failed test in the report.
  const broken = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  const failures = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => failure(relative(ROOT, name), fullName, failureMessages.slice(0, 1))),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
    reasons: [...failures, ...broken.map(({ name }) => `${relative(ROOT, name)} did not run`)],
  };
}

/** @param {PlaywrightReport} report @returns {Count} */
export function countPlaywright({ stats, errors, suites }) {
  const failures = specsOf(suites)
    .filter(({ ok }) => !ok)
    .map(({ file, line, title, tests }) =>
      failure(
        `e2e/${file}:${line}`,
        title,
        tests.flatMap(({ results }) => results.flatMap(({ errors }) => errors.map(({ message }) => message))),
      ),
    );
  return {
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky + errors.length,
    skipped: stats.skipped,
    reasons: [...failures, ...errors.map(({ message }) => message ?? 'unknown error')],
  };
}

/** @param {PlaywrightSuite[]} suites @returns {PlaywrightSpec[]} */
const specsOf = (suites) => suites.flatMap((suite) => [...suite.specs, ...specsOf(suite.suites ?? [])]);

/**
 * @template Report
 * @param {string} name of the runner
 * @param {number | null} exitCode null if it was killed
 * @param {Report | undefined} report undefined if it wrote none
 * @param {(report: Report) => Count} countReport
 * @returns {Count}
 */
export function countRun(name, exitCode, report, countReport) {
  const broken = (/** @type {string} */ reason) => ({
    passed: 0,
    failed: 1,
    skipped: 0,
    reasons: [`${name} ${reason}`],
  });
  if (report === undefined) return broken(`left no report (exit code ${exitCode})`);
  const count = countReport(report);
  if (count.passed + count.failed + count.skipped === 0) return broken('ran no test');
  // For example an error outside of any test, which is not in the report.
  if (exitCode !== 0 && count.failed === 0) {
    return { ...count, failed: 1, reasons: [...count.reasons, `${name} ended with exit code ${exitCode}`] };
  }
  return count;
}

/** @param {string} suite @param {string} reason @returns {Count} */
export const skippedSuite = (suite, reason) => ({
  passed: 0,
  failed: 0,
  skipped: 1,
  reasons: [`${suite} was skipped: ${reason}`],
});

/**
 * @param {Count[]} counts
 * @param {boolean} isCi in CI a skipped test is a failure, because no developer would notice it
 */
export function summarize(counts, isCi) {
  const sum = (/** @type {'passed' | 'failed' | 'skipped'} */ key) =>
    counts.reduce((total, count) => total + count[key], 0);
  const reasons = counts.flatMap((count) => count.reasons);
  const skipped = sum('skipped');
  if (isCi && skipped > 0) reasons.push(`${skipped} skipped, which CI counts as failed`);
  const failed = sum('failed') + (isCi ? skipped : 0);
  const line = `${sum('passed')} passed, ${failed} failed${skipped > 0 && !isCi ? `, ${skipped} skipped` : ''}`;
  return { line, reasons, exitCode: failed > 0 ? 1 : 0 };
}
