// Waits until the server can be reached and is ready. An unreachable server is not a failure. All callers share one probe.
import { type ApiResponse, asFailure, Failure, isApiErrorCode } from '@furoshiki/api';
import { assertNotCancelled } from './cancellation.ts';
import type { Clock, OnlineEvents, Network } from '../ports.ts';

const MAX_PROBE_WAIT_MS = 30_000;

export interface NetworkPorts {
  clock: Clock;
  onlineEvents: OnlineEvents;
  probe: (signal: AbortSignal) => Promise<ApiResponse<'readiness'>>;
}

export function createNetwork({ clock, onlineEvents, probe }: NetworkPorts): Network {
  const listeners = new Set<() => void>();
  let isUnreachable = false;
  let waiters = 0;
  let probing: { found: Promise<boolean>; abort: AbortController } | undefined;

  function setUnreachable(value: boolean): void {
    if (value === isUnreachable) return;
    isUnreachable = value;
    for (const listener of listeners) listener();
  }

  async function isReady(signal: AbortSignal): Promise<boolean> {
    try {
      return (await probe(signal)).ready;
    } catch (thrown) {
      assertNotCancelled(signal);
      // An error of our own API proves that the server responds. Anything else may be a proxy or a captive portal.
      const { code } = asFailure(thrown);
      return isApiErrorCode(code) && code !== 'SERVICE_UNAVAILABLE';
    }
  }

  async function pause(ms: number, signal: AbortSignal): Promise<void> {
    const online = new AbortController();
    const stopListening = onlineEvents.onOnline(() => online.abort());
    try {
      await clock.sleep(ms, AbortSignal.any([signal, online.signal]));
    } catch {
      assertNotCancelled(signal);
    } finally {
      stopListening();
    }
  }

  async function probeUntilReady(signal: AbortSignal): Promise<boolean> {
    for (let probes = 0; ; probes += 1) {
      if (await isReady(signal)) return probes > 0;
      setUnreachable(true);
      await pause(spreadMs(clock, Math.min(2 ** probes * 1000, MAX_PROBE_WAIT_MS)), signal);
    }
  }

  function beginProbing(): NonNullable<typeof probing> {
    const abort = new AbortController();
    return { abort, found: probeUntilReady(abort.signal) };
  }

  function stopProbing(): void {
    probing?.abort.abort();
    probing = undefined;
    setUnreachable(false);
  }

  return {
    isUnreachable: () => isUnreachable,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async waitUntilReachable(signal) {
      assertNotCancelled(signal);
      waiters += 1;
      probing ??= beginProbing();
      const cancelled = Promise.withResolvers<never>();
      const cancel = () => cancelled.reject(new Failure('CANCELLED'));
      signal.addEventListener('abort', cancel);
      try {
        return await Promise.race([probing.found, cancelled.promise]);
      } finally {
        signal.removeEventListener('abort', cancel);
        waiters -= 1;
        // The last caller is gone, so stop the probe.
        if (waiters === 0) stopProbing();
      }
    },
  };
}

/**
 * Up to half as long again, so that the clients of a server that was restarted do not all return at the same moment. Never
 * shorter: a server may have said how long to wait.
 */
export function spreadMs({ random }: Pick<Clock, 'random'>, ms: number): number {
  return ms * (1 + random() / 2);
}

/** Whether the server may be unreachable or not ready. Only a probe can distinguish that from a single failed request. */
export function mayBeUnreachable({ code, details: { status } }: Failure): boolean {
  switch (code) {
    case 'NETWORK':
    case 'TIMEOUT':
    case 'INTERNAL':
    case 'SERVICE_UNAVAILABLE':
      return true;
    case 'API_ERROR':
    case 'STORAGE_ERROR':
      // A storage or gateway error, or (with status 200) a page that a captive portal sent instead.
      return status !== undefined && (status >= 500 || status === 200);
    default:
      return false;
  }
}
