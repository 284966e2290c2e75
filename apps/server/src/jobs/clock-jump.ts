// Notices that the clock of the machine was moved ahead, by mistake or because the machine has slept.
import type { Clock } from '../ports/clock.ts';

/** More than a correction by NTP, less than the 20 minutes after which an upload without a part counts as abandoned. */
const MAX_AHEAD_MS = 5 * 60_000;

/** The returned function says whether the clock has jumped ahead since its last call. */
export function watchClock(clock: Clock): () => boolean {
  const readOffset = () => clock.nowMs() - performance.now();
  let offsetMs = readOffset();
  return () => {
    const beforeMs = offsetMs;
    offsetMs = readOffset();
    return offsetMs - beforeMs > MAX_AHEAD_MS;
  };
}
