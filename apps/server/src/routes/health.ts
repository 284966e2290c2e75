// GET /healthz: the process is running. GET /readyz: the database and the object store respond too.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addressOf } from '../http/client.ts';
import type { Readiness } from '../services/readiness.ts';

/** Random, so that each probe gets another response and the response identifies nobody. */
const PROBE = /^[\w-]{22}$/u;

export function serveHealth(app: FastifyInstance, findFailing: Readiness): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/healthz',
    handler: async (request, reply) =>
      reply.header('cache-control', 'no-store').send({ status: 'ok', ...probeResponse(request) }),
  });

  app.get('/readyz', async (_request, reply) => {
    const failing = await findFailing();
    reply.header('cache-control', 'no-store');
    return failing.length === 0 ? { status: 'ok' } : reply.status(503).send({ status: 'unavailable', failing });
  });
}

/** The doctor compares two responses to find out whether the server counts both requests under one address. */
function probeResponse(request: FastifyRequest): { probe: string } | undefined {
  const { probe } = request.query as { probe?: unknown };
  if (typeof probe !== 'string' || !PROBE.test(probe)) return undefined;
  return { probe: request.server.signer.sign('address-probe', probe, addressOf(request)) };
}
