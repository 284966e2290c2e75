// GET /healthz: the process serves. GET /readyz: so does everything that it stands on. GET /api/readiness: the same for clients.
import type { FastifyInstance } from 'fastify';
import { serveEndpoint } from '../http/serve-endpoint.ts';
import type { Readiness } from '../services/readiness.ts';

export function serveHealth(app: FastifyInstance, failingParts: Readiness): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/healthz',
    handler: async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  });

  app.get('/readyz', async (_request, reply) => {
    const failing = await failingParts();
    reply.header('cache-control', 'no-store');
    return failing.length === 0 ? { status: 'ok' } : reply.status(503).send({ status: 'unavailable', failing });
  });
}

/** Below the API, where any proxy lets a client through. */
export function serveReadiness(api: FastifyInstance, failingParts: Readiness): void {
  serveEndpoint(api, 'readiness', async () => ({ ready: (await failingParts()).length === 0 }));
}
