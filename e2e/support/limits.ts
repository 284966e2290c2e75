/**
 * These limits only stop what hangs. One step (an expectation, a click, a page load, an upload of several parts) takes seconds;
 * beside five other test runs on two processors, a step has taken more than a minute and a test more than five. A test that
 * legitimately takes longer sets its own limit and says why.
 */
export const STEP_MS = 200_000;
export const TEST_MS = 900_000;
