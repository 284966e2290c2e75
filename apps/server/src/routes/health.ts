// GET /healthz: the process serves.
import type { FastifyInstance } from 'fastify';

export function serveHealth(app: FastifyInstance): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/healthz',
    handler: async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  });
}
