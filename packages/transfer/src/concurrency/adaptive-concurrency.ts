// Adapts to the connection: how many parts are sent at once, and how long each may take. `laneCount` is the maximum, from what
// the platform knows before the first part is sent.
import { asFailure, Failure, MAX_PART_TIMEOUT_MS } from '@furoshiki/api';
import { assertNotCancelled } from '../resilience/cancellation.ts';
import { mayBeUnreachable } from '../resilience/network.ts';
import type { Clock, Network } from '../ports.ts';
import type { RetryPolicy } from '../resilience/retry.ts';

/** Browsers do not know the upload speed. On a slow connection, many parts at once would all time out. */
const FIRST_LANES = 2;
/** Add a lane only if parts would still finish within two thirds of their timeout. */
const COMFORTABLE_SHARE = 2 / 3;

/** Parts that differ by more than this factor say little about each other. */
const SIMILAR_SIZE = 2;

export interface PartAttempt {
  /** The parts of earlier files go first. */
  fileIndex: number;
  bytes: number;
  /** How many parts of this size may be sent at once. */
  maxLanes: number;
  /** The timeout on a usual connection. */
  usualMs: number;
}

interface LimiterPorts {
  clock: Pick<Clock, 'nowMs'>;
  network: Pick<Network, 'waitUntilReachable'>;
}

export interface ConcurrencyLimiter {
  /** Runs one attempt as soon as one more part may be sent. Its timeout is the maximum if the connection is slow. */
  run<T>(part: PartAttempt, signal: AbortSignal, attempt: (timeoutMs: number) => Promise<T>): Promise<T>;
  /**
   * Wraps the retry policy of one part. If another part was sent since the last attempt, a broken connection counts as
   * the first failed attempt again: an upload that makes progress, however slowly, continues.
   */
  ignoreBreaksDuringProgress(policy: RetryPolicy): RetryPolicy;
}

/**
 * Additive increase, multiplicative decrease: one lane more after each part that finished early, half the lanes after
 * a part that broke off. Parallel parts share the connection, so each takes longer, and all break off with the connection.
 */
export function createConcurrencyLimiter({ clock, network }: LimiterPorts): ConcurrencyLimiter {
  const waiting = new Set<{ fileIndex: number; proceed: () => void }>();
  const running: number[] = [];
  let lanes = FIRST_LANES;
  /** The size of the parts that the number of lanes was measured with. */
  let measuredBytes = 0;
  /** A part has timed out although no other part was sent at the same time. */
  let isSlow = false;
  let passed = 0;

  async function enter({ fileIndex, bytes, maxLanes }: PartAttempt, signal: AbortSignal): Promise<void> {
    const isLarger = () => bytes > SIMILAR_SIZE * measuredBytes;
    while (running.length >= Math.min(lanes, maxLanes, isLarger() ? FIRST_LANES : maxLanes)) {
      assertNotCancelled(signal);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const cancel = () => reject(new Failure('CANCELLED'));
      const entry = { fileIndex, proceed: resolve };
      waiting.add(entry);
      signal.addEventListener('abort', cancel);
      try {
        await promise;
      } finally {
        waiting.delete(entry);
        signal.removeEventListener('abort', cancel);
      }
    }
    if (isLarger()) lanes = Math.min(lanes, FIRST_LANES);
    running.push(bytes);
    measuredBytes = Math.max(...running);
  }

  function leave({ bytes }: PartAttempt): void {
    running.splice(running.indexOf(bytes), 1);
    for (const { proceed } of [...waiting].toSorted((a, b) => a.fileIndex - b.fileIndex)) proceed();
  }

  return {
    async run(part, signal, attempt) {
      await enter(part, signal);
      const { bytes, usualMs, maxLanes } = part;
      const lanesBefore = Math.min(lanes, maxLanes);
      const beganMs = clock.nowMs();
      try {
        const result = await attempt(isSlow ? MAX_PART_TIMEOUT_MS : usualMs);
        passed += 1;
        const expectedMs = ((clock.nowMs() - beganMs) * (running.length + 1)) / running.length;
        const isTypical = bytes * SIMILAR_SIZE >= measuredBytes;
        if (isTypical && expectedMs < usualMs * COMFORTABLE_SHARE)
          lanes = Math.max(lanes, Math.min(lanes + 1, maxLanes));
        leave(part);
        return result;
      } catch (thrown) {
        const failure = asFailure(thrown);
        if (failure.code === 'TIMEOUT' && lanesBefore === 1) isSlow = true;
        if (mayBeUnreachable(failure)) {
          // Parts that break off together began under the same limit, so they halve it once.
          lanes = Math.min(lanes, Math.max(1, Math.floor(lanesBefore / 2)));
          // Keep the lane until the server can be reached: the next part would break off as well.
          void network
            .waitUntilReachable(signal)
            .finally(() => leave(part))
            .catch(() => undefined);
        } else leave(part);
        throw thrown;
      }
    },
    ignoreBreaksDuringProgress(policy) {
      let ignored = 0;
      let passedBefore = passed;
      return (failure, attempt) => {
        if (mayBeUnreachable(failure) && passed > passedBefore) ignored = attempt - 1;
        passedBefore = passed;
        return policy(failure, attempt - ignored);
      };
    },
  };
}

export type ConnectionQuality = 'slow' | 'medium' | 'fast' | 'unknown';

const LANES: Record<ConnectionQuality, number> = { slow: 2, medium: 5, fast: 8, unknown: 4 };

interface LaneLimits {
  quality: ConnectionQuality;
  /** Memory limit for all parts that are being sent. Infinity if they are on disk. */
  memoryBytes: number;
  /** How many connections to one server the browser opens. */
  connections: number;
}

/** Measured: the plaintext, the sealed part, and the copies that a browser makes to encrypt and to send. */
const COPIES = 4;

export function laneCount({ quality, memoryBytes, connections }: LaneLimits, partBytes: number): number {
  // One connection stays free: API calls would wait behind the large parts until they time out.
  return Math.min(LANES[quality], partsInMemory(memoryBytes, partBytes), Math.max(1, connections - 1));
}

/** At least one. */
export function partsInMemory(memoryBytes: number, partBytes: number): number {
  return Math.max(1, Math.floor(memoryBytes / (COPIES * partBytes)));
}
