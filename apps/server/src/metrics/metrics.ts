// All metrics, in one registry. No label contains an id, an address, a name or a requested path.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { RequestObserver } from '../http/request-log.ts';
import type { SweepObserver } from '../jobs/sweeper.ts';
import type { ConnectionCounts, Tally } from '../ports/metadata-store.ts';
import type { Readiness } from '../services/readiness.ts';
import { type ConnectionWatcher, createConnectionBytes, createRequestMetrics, createSweepMetrics } from './counters.ts';
import {
  createConnectionMetrics,
  createReadinessMetrics,
  createRoomMetrics,
  createStorageMetrics,
  readGauge,
  type RoomSources,
} from './gauges.ts';

export interface Metrics {
  registry: Registry;
  requests: RequestObserver;
  sweeps: SweepObserver;
  watchConnections: ConnectionWatcher;
  /** Adds a queue of requests. The function returns its current length. */
  watchQueue(length: () => number): void;
}

/** What is read when the metrics are requested. What is missing here has no metric. */
interface MetricSources {
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

const ALLOWED = 'GET, HEAD, OPTIONS';

/** GET and HEAD /metrics on a separate port, so that it is never public. */
export async function serveMetrics(registry: Registry, host: string, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    const { method, url = '' } = request;
    if (url.split('?', 1)[0] !== '/metrics') response.writeHead(404).end();
    else if (method === 'OPTIONS') response.writeHead(204, { allow: ALLOWED }).end();
    else if (method !== 'GET' && method !== 'HEAD') response.writeHead(405, { allow: ALLOWED }).end();
    else
      registry.metrics().then(
        (text) =>
          response
            .writeHead(200, { 'content-type': registry.contentType, 'content-length': Buffer.byteLength(text) })
            .end(text),
        () => response.writeHead(500).end(),
      );
  });
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}
