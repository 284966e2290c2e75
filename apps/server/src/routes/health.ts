// GET /healthz: the process is running. GET /readyz: the database and the object store respond too.
import type { FastifyInstance } from 'fastify';
import type { Readiness } from '../services/readiness.ts';

export function serveHealth(app: FastifyInstance, findFailing: Readiness): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/healthz',
    handler: async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  });

  app.get('/readyz', async (_request, reply) => {
    const failing = await findFailing();
    reply.header('cache-control', 'no-store');
    return failing.length === 0 ? { status: 'ok' } : reply.status(503).send({ status: 'unavailable', failing });
  });
}
