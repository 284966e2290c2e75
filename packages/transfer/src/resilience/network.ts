// Being cut off from the server is no failure, nor is a server that is cut off from what it stands on: whoever meets it
// waits here, and one probe asks for all of them.
import { type ApiResponse, asFailure, Failure, isApiErrorCode } from '@furoshiki/core';
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
  let search: { found: Promise<boolean>; abort: AbortController } | undefined;

  function setUnreachable(value: boolean): void {
    if (value === isUnreachable) return;
    isUnreachable = value;
    for (const listener of listeners) listener();
  }

  async function answers(signal: AbortSignal): Promise<boolean> {
    try {
      return (await probe(signal)).ready;
    } catch (thrown) {
      assertNotCancelled(signal);
      // Our server's own refusal is an answer. Anything else may be a proxy, or the sign-in page of a hotel.
      return isApiErrorCode(asFailure(thrown).code);
    }
  }

  async function pause(ms: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const stopListening = onlineEvents.onOnline(() => woken.abort());
    try {
      await clock.sleep(ms, AbortSignal.any([signal, woken.signal]));
    } catch {
      assertNotCancelled(signal);
    } finally {
      stopListening();
    }
  }

  async function seek(signal: AbortSignal): Promise<boolean> {
    for (let probes = 0; ; probes += 1) {
      if (await answers(signal)) {
        setUnreachable(false);
        return probes > 0;
      }
      setUnreachable(true);
      await pause(Math.min(2 ** probes * 1000, MAX_PROBE_WAIT_MS), signal);
    }
  }

  function beginSearch(): NonNullable<typeof search> {
    const abort = new AbortController();
    return { abort, found: seek(abort.signal) };
  }

  function endSearch(): void {
    search?.abort.abort();
    search = undefined;
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
      search ??= beginSearch();
      const cancelled = Promise.withResolvers<never>();
      const cancel = () => cancelled.reject(new Failure('CANCELLED'));
      signal.addEventListener('abort', cancel);
      try {
        return await Promise.race([search.found, cancelled.promise]);
      } finally {
        signal.removeEventListener('abort', cancel);
        waiters -= 1;
        // Nobody waits any more, so nobody wants to know.
        if (waiters === 0) endSearch();
      }
    },
  };
}

/** What being cut off, or an outage, looks like from one request. Only asking tells it from a request that went wrong. */
export function mayBeUnreachable({ code, details: { status } }: Failure): boolean {
  switch (code) {
    case 'NETWORK':
    case 'TIMEOUT':
    case 'INTERNAL':
      return true;
    case 'API_ERROR':
    case 'STORAGE_ERROR':
      // A storage or a gateway in trouble, or a page that somebody on the way answers in its place.
      return status !== undefined && (status >= 500 || status === 200);
    default:
      return false;
  }
}
