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
    help: 'Requests with a response, by route template, method and class of status. "cut": the connection closed first.',
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
      requests.inc({ route, method, status: statusClass(response) });
      seconds.observe({ route, method }, milliseconds / 1000);
    },
  };
}

function statusClass({ status, isCut }: ResponseFacts): string {
  return isCut ? 'cut' : `${Math.floor(status / 100)}xx`;
}
