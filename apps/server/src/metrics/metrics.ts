// All metrics, in one registry. No label contains an id, an address, a name or a requested path.
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { RequestObserver } from '../http/logging/observe-requests.ts';
import type { SweepObserver } from '../jobs/sweeper.ts';
import type { ConnectionCounts, Tally } from '../ports/operator-records.ts';
import type { Readiness } from '../services/readiness.ts';
import { type ConnectionWatcher, createConnectionBytes } from './connection-bytes.ts';
import { createConnectionMetrics, createReadinessMetrics } from './dependency-metrics.ts';
import { readGauge } from './read-gauge.ts';
import { createRequestMetrics } from './request-metrics.ts';
import { createRoomMetrics, createStorageMetrics, type RoomSources } from './storage-metrics.ts';
import { createSweepMetrics } from './sweep-metrics.ts';

export interface Metrics {
  registry: Registry;
  requests: RequestObserver;
  sweeps: SweepObserver;
  watchConnections: ConnectionWatcher;
  /** Adds a queue of requests. The function returns its current length. */
  watchQueue(length: () => number): void;
}

/** What is read when the metrics are requested. What is missing here has no metric. */
export interface MetricSources {
  room?: RoomSources;
  findFailing?: Readiness;
  connections?: (() => ConnectionCounts) | undefined;
  version?: string;
}

export function createMetrics(tally: () => Promise<Tally>, sources: MetricSources = {}): Metrics {
  const { room, findFailing, connections, version } = sources;
  const registry = new Registry();
  // The process itself: memory, processor, open files, garbage collection and event loop lag.
  collectDefaultMetrics({ register: registry });
  // Before the metrics that make calls to the database themselves.
  if (connections) createConnectionMetrics(registry, connections);
  createStorageMetrics(registry, tally);
  if (room) createRoomMetrics(registry, room);
  if (findFailing) createReadinessMetrics(registry, findFailing);
  if (version !== undefined) createBuildInfo(registry, version);
  const queues: (() => number)[] = [];
  const waiting = {
    name: 'furoshiki_waiting_requests',
    help: 'Requests that wait for others of their client address.',
  };
  readGauge(registry, waiting, () => queues.reduce((sum, length) => sum + length(), 0));
  return {
    registry,
    requests: createRequestMetrics(registry),
    sweeps: createSweepMetrics(registry),
    watchConnections: createConnectionBytes(registry),
    watchQueue: (length) => void queues.push(length),
  };
}

function createBuildInfo(registry: Registry, version: string): void {
  const text = { name: 'furoshiki_build_info', help: 'Always 1. The label has the version of the server.' };
  new Gauge({ ...text, labelNames: ['version'], registers: [registry] }).set({ version }, 1);
}
