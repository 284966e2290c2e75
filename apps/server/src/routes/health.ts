// GET /healthz: the process serves.
import type { FastifyInstance } from 'fastify';

export function serveHealth(app: FastifyInstance): void {
  app.get('/healthz', async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }));
}
