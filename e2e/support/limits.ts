/**
 * These limits only stop what hangs. One step (an expectation, a click, a page load) takes seconds, and a busy machine with
 * a slow disk has needed more than 30 of them. A whole test has many steps. A test that legitimately takes longer sets its
 * own limit and says why.
 */
export const STEP_MS = 90_000;
export const TEST_MS = 300_000;
