// Metrics of requests. Labels come from fixed lists, so that no traffic can create more series.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ResponseFacts, RequestObserver } from '../http/logging/observe-requests.ts';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']);
/** From a metadata call to a large part over a slow connection. */
const BUCKET_SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600];

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
