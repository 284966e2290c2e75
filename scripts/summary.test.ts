// The last line of `npm test` must never report a better result than the real one.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from './paths.mjs';
import { countPlaywright, countRun, countVitest, skippedSuite, summarize } from './summary.mjs';

const count = (passed: number, failed = 0, skipped = 0) => ({ passed, failed, skipped, reasons: [] });
const vitestReport = (over: object) => ({
  numPassedTests: 2,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [],
  ...over,
});
const playwrightReport = (over: object, errors: { message: string }[] = []) => ({
  stats: { expected: 3, unexpected: 0, flaky: 0, skipped: 0, ...over },
  errors,
  suites: [],
});

describe('vitest', () => {
  test('adds skipped and todo tests', () => {
    expect(countVitest(vitestReport({ numPendingTests: 1, numTodoTests: 2 }))).toEqual(count(2, 0, 3));
  });

  test('counts a file that did not load as one failure', () => {
    const testResults = [{ name: 'a.test.ts', status: 'failed', assertionResults: [] }];
    expect(countVitest(vitestReport({ testResults }))).toMatchObject({ passed: 2, failed: 1 });
  });

  test('names a failed test with the first line of its message, and counts it once', () => {
    const assertionResults = [
      { status: 'passed', fullName: 'is fine', failureMessages: [] },
      {
        status: 'failed',
        fullName: 'adds up',
        failureMessages: ['Error: \u001b[31m1 is not 2\u001b[39m\n    at a.test.ts:3'],
      },
    ];
    const testResults = [{ name: join(ROOT, 'x', 'a.test.ts'), status: 'failed', assertionResults }];
    expect(countVitest(vitestReport({ numFailedTests: 1, testResults }))).toEqual({
      ...count(2, 1),
      reasons: ['failed: x/a.test.ts: adds up: Error: 1 is not 2'],
    });
  });
});

describe('playwright', () => {
  test('counts a flaky test as failed', () => {
    expect(countPlaywright(playwrightReport({ flaky: 1 }))).toEqual(count(3, 1));
  });

  test('names a failed test in a group', () => {
    const spec = (title: string, ok: boolean) => ({
      title,
      ok,
      file: 'pages/a.spec.ts',
      line: 7,
      tests: [
        {
          results: [
            { errors: ok ? [] : [{ message: 'Error: not visible\n\nCall log' }, { message: 'the page shows: …' }] },
          ],
        },
      ],
    });
    const suites = [{ specs: [spec('is fine', true)], suites: [{ specs: [spec('shows a text', false)] }] }];
    expect(countPlaywright({ ...playwrightReport({ unexpected: 1 }), suites }).reasons).toEqual([
      'failed: e2e/pages/a.spec.ts:7: shows a text: Error: not visible: the page shows: …',
    ]);
  });

  test('counts an error outside of any test', () => {
    expect(countPlaywright(playwrightReport({}, [{ message: 'boom' }]))).toMatchObject({
      failed: 1,
      reasons: ['boom'],
    });
  });
});

describe('a run', () => {
  const asIs = (report: ReturnType<typeof count>) => report;

  test('that succeeded is counted as reported', () => {
    expect(countRun('vitest', 0, count(5, 0, 1), asIs)).toEqual(count(5, 0, 1));
  });

  test.each([
    ['wrote no report', 0, undefined],
    ['was killed without a report', null, undefined],
    ['ran no test', 0, count(0)],
    ['crashed after its tests passed', 1, count(5)],
    ['was killed after its tests passed', null, count(5)],
  ])('that %s is a failure with a reason', (_, exitCode, report) => {
    const result = countRun('vitest', exitCode, report, asIs);
    expect(result.failed).toBe(1);
    expect(result.reasons).toHaveLength(1);
  });
});

describe('the summary', () => {
  test('adds all counts up', () => {
    expect(summarize([count(5), count(2, 1)], false)).toMatchObject({ line: '7 passed, 1 failed', exitCode: 1 });
  });

  test('counts skipped tests but passes outside of CI', () => {
    const result = summarize([count(5, 0, 2)], false);
    expect(result).toMatchObject({ line: '5 passed, 0 failed, 2 skipped', exitCode: 0 });
  });

  test('fails for skipped tests in CI', () => {
    expect(summarize([count(5, 0, 2)], true)).toMatchObject({ line: '5 passed, 2 failed', exitCode: 1 });
  });

  test('fails for a skipped suite in CI and says why', () => {
    const result = summarize([count(5), skippedSuite('e2e', 'no Chromium')], true);
    expect(result).toMatchObject({ line: '5 passed, 1 failed', exitCode: 1 });
    expect(result.reasons[0]).toBe('e2e was skipped: no Chromium');
  });
});
