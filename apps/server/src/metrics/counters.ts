// Metrics that count what happens: requests, bytes and sweeps.
import type { Server, Socket } from 'node:net';
import { API_ERROR_STATUS, type ApiErrorCode } from '@furoshiki/api';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { RequestObserver, ResponseFacts } from '../http/request-log.ts';
import type { SweepObserver } from '../jobs/sweeper.ts';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']);
/** From a metadata call to a large part over a slow connection. */
const BUCKET_SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600];

/** Metrics of requests. Labels come from fixed lists, so that no traffic can create more series. */
export function createRequestMetrics(registry: Registry): RequestObserver {
  const registers = [registry];
  const requests = new Counter({
    name: 'furoshiki_http_requests_total',
    help: 'Requests with a response, by route template, method and status: 2xx to 4xx as classes. "cut": the connection closed first.',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'furoshiki_http_request_seconds',
    help: 'Time from a request to the end of its response.',
    labelNames: ['route', 'method'],
    buckets: BUCKET_SECONDS,
    registers,
  });
  const transfers = new Gauge({
    name: 'furoshiki_transfers_in_flight',
    help: 'Requests that move stored bytes right now.',
    labelNames: ['direction'],
    registers,
  });
  for (const direction of ['in', 'out']) transfers.set({ direction }, 0);

  return {
    begin({ transfers: direction }) {
      if (direction) transfers.inc({ direction });
    },
    end(response) {
      const { route, milliseconds, transfers: direction } = response;
      const method = METHODS.has(response.method) ? response.method : 'other';
      if (direction) transfers.dec({ direction });
      requests.inc({ route, method, status: statusLabel(response) });
      seconds.observe({ route, method }, milliseconds / 1000);
    },
  };
}

/** Errors of the server are few and different: 500 is a bug, 503 a store that is away, 507 a full one. */
function statusLabel({ status, isCut }: ResponseFacts): string {
  if (isCut) return 'cut';
  return status >= 500 ? String(status) : `${Math.floor(status / 100)}xx`;
}

export type RefusalCounter = (code: ApiErrorCode) => void;

/** Metrics of error responses. A batch has one for each of its calls. */
export function createRefusalMetrics(registry: Registry): RefusalCounter {
  const refusals = new Counter({
    name: 'furoshiki_refused_calls_total',
    help: 'Error responses by their code, such as RATE_LIMITED or QUOTA_EXCEEDED.',
    labelNames: ['code'],
    registers: [registry],
  });
  for (const code of Object.keys(API_ERROR_STATUS)) refusals.inc({ code }, 0);
  return (code) => refusals.inc({ code });
}

export type ConnectionWatcher = (server: Server) => void;

/**
 * Counts received and sent bytes, read from the sockets when the metrics are requested: exact during a transfer, for
 * every version of HTTP, and at no cost for the transfer.
 */
export function createConnectionBytes(registry: Registry): ConnectionWatcher {
  const open = new Set<Socket>();
  const closed = { bytesRead: 0, bytesWritten: 0 };

  const count = (name: string, help: string, direction: 'bytesRead' | 'bytesWritten') =>
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc([...open].reduce((sum, socket) => sum + socket[direction], closed[direction]));
      },
    });
  count('furoshiki_received_bytes_total', 'Bytes received on all connections, headers included.', 'bytesRead');
  count('furoshiki_sent_bytes_total', 'Bytes sent on all connections, headers included.', 'bytesWritten');

  return (server) => {
    server.on('connection', (socket) => {
      open.add(socket);
      socket.once('close', () => {
        open.delete(socket);
        closed.bytesRead += socket.bytesRead;
        closed.bytesWritten += socket.bytesWritten;
      });
    });
  };
}

/** Metrics of the sweeper. */
export function createSweepMetrics(registry: Registry): SweepObserver {
  const registers = [registry];
  const rounds = new Counter({
    name: 'furoshiki_sweeps_total',
    help: 'Rounds of the sweeper.',
    labelNames: ['outcome'],
    registers,
  });
  const removed = new Counter({
    name: 'furoshiki_swept_files_total',
    help: 'Files and abandoned uploads that the sweeper removed.',
    registers,
  });
  const lost = new Counter({
    name: 'furoshiki_lost_files_total',
    help: 'Files whose stored bytes were missing.',
    registers,
  });
  const lastTime = new Gauge({
    name: 'furoshiki_last_sweep_timestamp_seconds',
    help: 'When the last round of the sweeper ended that did not fail.',
    registers: [],
  });
  const lastDuration = new Gauge({
    name: 'furoshiki_last_sweep_duration_seconds',
    help: 'How long that round took.',
    registers: [],
  });
  for (const outcome of ['done', 'failed']) rounds.inc({ outcome }, 0);

  return {
    swept(count, milliseconds) {
      rounds.inc({ outcome: 'done' });
      removed.inc(count);
      // Registered by the first round: before it, a missing number is better than 0.
      for (const gauge of [lastTime, lastDuration]) registry.registerMetric(gauge);
      lastTime.setToCurrentTime();
      lastDuration.set(milliseconds / 1000);
    },
    lost: (files) => lost.inc(files),
    failed: () => rounds.inc({ outcome: 'failed' }),
  };
}
