// GET /healthz: the process is running. GET /readyz: the database and the object store respond too, and it will not stop soon.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addressOf } from '../http/client.ts';
import type { Readiness } from '../services/readiness.ts';

/** A random text. With another one, the same address gets another tag: a tag identifies nobody. */
const NONCE = /^[\w-]{22}$/u;

export function serveHealth(app: FastifyInstance, findFailing: Readiness, stopping: AbortSignal): void {
  app.get('/healthz', async (request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok', ...addressTag(request) }),
  );

  app.get('/readyz', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    if (stopping.aborted) return reply.status(503).send({ status: 'stopping' });
    const failing = await findFailing();
    return failing.length === 0 ? { status: 'ok' } : reply.status(503).send({ status: 'unavailable', failing });
  });
}

/** Equal tags show the doctor that two requests count under one address. */
function addressTag(request: FastifyRequest): { addressTag: string } | undefined {
  const { nonce } = request.query as { nonce?: unknown };
  if (typeof nonce !== 'string' || !NONCE.test(nonce)) return undefined;
  return { addressTag: request.server.signer.sign('address-tag', nonce, addressOf(request)) };
}
