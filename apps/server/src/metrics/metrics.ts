// All metrics, in one registry. No label contains an id, an address, a name or a requested path. Gauges are read when the
// metrics are requested, within a bounded time.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { RequestObserver } from '../http/request-log.ts';
import type { SweepObserver } from '../jobs/sweeper.ts';
import type { ConnectionCounts, Tally } from '../ports/metadata-store.ts';
import type { FreeSpace } from '../ports/object-store.ts';
import type { Readiness } from '../services/readiness.ts';
import {
  type ConnectionWatcher,
  createConnectionBytes,
  createRefusalMetrics,
  createRequestMetrics,
  createSweepMetrics,
  type RefusalCounter,
} from './counters.ts';

export interface Metrics {
  registry: Registry;
  requests: RequestObserver;
  sweeps: SweepObserver;
  /** Counts an error response. */
  countRefusal: RefusalCounter;
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
    countRefusal: createRefusalMetrics(registry),
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

interface RoomSources {
  free(): Promise<FreeSpace>;
  maxStoredBytes: number | undefined;
  minFreeDiskBytes: number;
}

const GAUGES: Record<keyof Tally, [name: string, help: string]> = {
  storedBytes: ['furoshiki_stored_bytes', 'Bytes that files take, those reserved for uploads in progress included.'],
  liveFiles: ['furoshiki_live_files', 'Files that can be downloaded.'],
  openUploads: ['furoshiki_uploads_under_way', 'Uploads that are not complete.'],
  doomedFiles: ['furoshiki_doomed_files', 'Files gone for everybody whose bytes are still to be removed.'],
  waitingMessages: [
    'furoshiki_outbox_messages',
    'Messages to the operator that are not mailed or removed yet, counted up to 1,000.',
  ],
  waitingReports: ['furoshiki_reports', 'Reports of abuse that the operator has not removed yet, counted up to 1,000.'],
};

/** The tally scans no live files (see OperatorRecords), so it is cheap even every few seconds and with many files. */
function createStorageMetrics(registry: Registry, tally: () => Promise<Tally>): void {
  const readTally = orMissing(tally);
  for (const field of Object.keys(GAUGES) as (keyof Tally)[]) {
    const [name, help] = GAUGES[field];
    readGauge(registry, { name, help }, async () => (await readTally())?.[field]);
  }
}

function createRoomMetrics(registry: Registry, room: RoomSources): void {
  const free = { name: 'furoshiki_storage_free_bytes', help: 'Free space of the disk with the stored bytes.' };
  const readFree = orMissing(room.free);
  readGauge(registry, free, async () => (await readFree())?.bytes);
  const inodes = {
    name: 'furoshiki_storage_free_inodes',
    help: 'Files and folders that fit on the disk with the stored bytes, if that is limited.',
  };
  readGauge(registry, inodes, async () => (await readFree())?.inodes?.free);
  const allInodes = { name: 'furoshiki_storage_inodes', help: 'The same, if the disk were empty.' };
  readGauge(registry, allInodes, async () => (await readFree())?.inodes?.total);
  const reserve = { name: 'furoshiki_storage_reserve_bytes', help: 'Free space that uploads may not use.' };
  readGauge(registry, reserve, () => room.minFreeDiskBytes);
  const limit = { name: 'furoshiki_storage_limit_bytes', help: 'What all files together may take, if it is limited.' };
  readGauge(registry, limit, () => room.maxStoredBytes);
}

const DEPENDENCIES = ['database', 'storage'];

/** Metrics of what the server depends on: whether database and storage respond, and the connections to the database. */
function createReadinessMetrics(registry: Registry, findFailing: Readiness): void {
  const ready = {
    name: 'furoshiki_dependency_ready',
    help: 'Whether the database and the storage respond, as /readyz checks it: 1 or 0.',
    label: 'dependency',
  };
  readGauges(registry, ready, async () => {
    const failing = await findFailing();
    return Object.fromEntries(DEPENDENCIES.map((name) => [name, failing.includes(name) ? 0 : 1]));
  });
}

function createConnectionMetrics(registry: Registry, connections: () => ConnectionCounts): void {
  const states = {
    name: 'furoshiki_database_connections',
    help: 'Connections to the database of this server.',
    label: 'state',
  };
  readGauges(registry, states, () => {
    const { open, idle } = connections();
    return { busy: open - idle, idle };
  });
  const waiting = {
    name: 'furoshiki_database_waiting_calls',
    help: 'Calls that wait for a connection to the database.',
  };
  readGauge(registry, waiting, () => connections().waiting);
}

/** `/metrics` responds within two seconds, even if the database or the storage does not. */
const TIMEOUT_MS = 1500;

interface GaugeText {
  name: string;
  help: string;
}

/** If the number is undefined, the metric is missing: that is better than an old number. */
function readGauge(
  registry: Registry,
  text: GaugeText,
  read: () => number | undefined | Promise<number | undefined>,
): void {
  const gauge = new Gauge({
    ...text,
    registers: [registry],
    async collect() {
      const value = await read();
      if (value === undefined) gauge.remove();
      else gauge.set(value);
    },
  });
}

/** The same with one value of a label for each number. */
function readGauges(
  registry: Registry,
  { label, ...text }: GaugeText & { label: string },
  read: () => Record<string, number> | Promise<Record<string, number>>,
): void {
  const gauge = new Gauge({
    ...text,
    labelNames: [label],
    registers: [registry],
    async collect() {
      gauge.reset();
      for (const [key, value] of Object.entries(await read())) gauge.set({ [label]: key }, value);
    },
  });
}

/** Concurrent callers share one running call. Returns undefined if it fails or takes too long. */
function orMissing<T>(work: () => Promise<T>): () => Promise<T | undefined> {
  let running: Promise<T | undefined> | undefined;
  const start = () =>
    work()
      .catch(() => undefined)
      .finally(() => (running = undefined));
  return async () => {
    running ??= start();
    const timeout = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => timeout.resolve(undefined), TIMEOUT_MS);
    try {
      return await Promise.race([running, timeout.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}
