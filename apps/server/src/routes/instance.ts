// What this instance is, and whether it works: /config, /readiness, /csrf-token and /openapi.json below /api, and /healthz and
// /readyz.
import { API_PREFIX, type InstanceConfig, openApiDocument } from '@furoshiki/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { messages } from '@furoshiki/texts/messages';
import packageJson from '../../package.json' with { type: 'json' };
import type { ApiRoutes } from '../http/api-route.ts';
import { addressOf, siteUrlOf } from '../http/client.ts';
import type { Context } from '../services/context.ts';
import type { Readiness } from '../services/readiness.ts';
import { issueToken, type Signer } from '../signing.ts';

export interface InstanceDependencies {
  clock: Context['clock'];
  signer: Signer;
  instanceConfig: InstanceConfig;
  findFailing: Readiness;
}

export function instanceRoutes({ clock, signer, instanceConfig, findFailing }: InstanceDependencies) {
  return {
    config: { handle: async () => instanceConfig, rateLimit: 'read' },
    // Below /api, because every proxy that serves the app forwards that path.
    readiness: { handle: async () => ({ ready: (await findFailing()).length === 0 }), rateLimit: 'read' },
    csrfToken: {
      handle: async ({ request }) => ({ token: issueToken(signer, request.clientId, clock.nowMs()) }),
      rateLimit: 'token',
      renewsCookie: true,
      needsNoToken: true,
    },
  } satisfies Partial<ApiRoutes>;
}

/** A random text. With another one, the same address gets another tag: a tag identifies nobody. */
const NONCE = /^[\w-]{22}$/u;

/**
 * GET /healthz: the process is running. GET /readyz: the database and the object store respond too, and it will not
 * stop soon.
 */
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

/** GET /openapi.json. The page that shows it to people, /api/docs, is part of the web app's build. */
export function serveApiDocs(app: FastifyInstance, { contactEmail }: Pick<InstanceConfig, 'contactEmail'>): void {
  const { version } = packageJson;
  const errorTexts = messages.en.apiErrors;
  app.get(`${API_PREFIX}/openapi.json`, async (request, reply) =>
    reply
      .header('cache-control', 'no-cache')
      .send(openApiDocument({ url: siteUrlOf(request), version, contactEmail, errorTexts })),
  );
}
