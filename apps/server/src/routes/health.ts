// GET /healthz: the process serves. GET /readyz: so does everything that it stands on.
import type { FastifyInstance } from 'fastify';
import type { Context } from '../services/context.ts';
import { createReadiness } from '../services/readiness.ts';

export function serveHealth(app: FastifyInstance, { metadata, objects }: Pick<Context, 'metadata' | 'objects'>): void {
  const failingParts = createReadiness({ database: () => metadata.ping(), storage: () => objects.ping() });

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
