// Checks that this machine and the service have the same time: files, grants and URLs expire by the clock.
import { reasonOf } from '../../../../diagnosis/error-reason.ts';
import { type Check, failed, ok, skipped } from '../../finding.ts';
import { requestHealth } from '../../request-health.ts';

/** The Date header has whole seconds, and the request takes time too. */
const TOLERATED_SECONDS = 30;

export const clock: Check = {
  name: 'clock',
  async run({ config: { PUBLIC_ORIGIN: origin, BASE_PATH }, clock: { nowMs } }) {
    if (origin === undefined) return skipped('PUBLIC_ORIGIN is not set, so there is no clock to compare with');
    let theirsMs: number;
    try {
      theirsMs = Date.parse((await requestHealth(origin + (BASE_PATH ?? ''))).headers.get('date') ?? '');
    } catch (error) {
      return skipped(`the service cannot be reached (${reasonOf(error)})`);
    }
    if (Number.isNaN(theirsMs)) return skipped('the service does not report its time');
    const seconds = Math.round(Math.abs(nowMs() - theirsMs) / 1000);
    if (seconds > TOLERATED_SECONDS)
      return failed(
        `this machine and ${origin} differ by ${seconds} seconds: files would end too early or too late`,
        'keep the clocks of both right with NTP',
      );
    return ok('agrees with the service');
  },
};
