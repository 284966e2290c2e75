// All metrics, in one registry. No label contains an id, an address, a name or a requested path.
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { RequestObserver } from '../http/logging/observe-requests.ts';
import type { SweepObserver } from '../jobs/sweeper.ts';
import type { Tally } from '../ports/metadata-store.ts';
import { type ConnectionWatcher, createConnectionBytes } from './connection-bytes.ts';
import { createRequestMetrics } from './request-metrics.ts';
import { createStorageMetrics } from './storage-metrics.ts';
import { createSweepMetrics } from './sweep-metrics.ts';

export interface Metrics {
  registry: Registry;
  requests: RequestObserver;
  sweeps: SweepObserver;
  watchConnections: ConnectionWatcher;
}

export function createMetrics(tally: () => Promise<Tally>): Metrics {
  const registry = new Registry();
  // The process itself: memory, processor, open files, garbage collection and event loop lag.
  collectDefaultMetrics({ register: registry });
  createStorageMetrics(registry, tally);
  return {
    registry,
    requests: createRequestMetrics(registry),
    sweeps: createSweepMetrics(registry),
    watchConnections: createConnectionBytes(registry),
  };
}
