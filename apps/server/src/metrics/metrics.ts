// Everything that is measured, in one registry. No label holds an id, an address, a name or a path that somebody asked for.
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
  // The process itself: memory, processor, open files, garbage collection, and how late the event loop is.
  collectDefaultMetrics({ register: registry });
  createStorageMetrics(registry, tally);
  return {
    registry,
    requests: createRequestMetrics(registry),
    sweeps: createSweepMetrics(registry),
    watchConnections: createConnectionBytes(registry),
  };
}
