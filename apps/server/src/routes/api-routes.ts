// The routes of all calls of the API, below /api: tsc fails if there is an endpoint that is not served here. And what describes
// the instance: /openapi.json, /healthz and /readyz.
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { API_PREFIX, type ApiBody, type BatchedCall, type InstanceConfig, openApiDocument } from '@furoshiki/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { messages } from '@furoshiki/texts/messages';
import packageJson from '../../package.json' with { type: 'json' };
import { type ApiRoute, type ApiRoutes, callOf } from '../http/api-route.ts';
import { addressOf, siteUrlOf } from '../http/client.ts';
import { errorResponseOf } from '../http/error-responses.ts';
import { countCall, rateLimitFor } from '../http/limits.ts';
import type { Context } from '../services/context.ts';
import { contactOperator, reportPage } from '../services/operator-messages.ts';
import type { Readiness } from '../services/readiness.ts';
import { issueToken, type Signer } from '../signing.ts';
import { downloadRoutes, requestRoutes, uploadRoutes } from './transfers.ts';

export function apiRoutes(context: Context, instance: Omit<InstanceDependencies, 'clock'>) {
  const uploads = uploadRoutes(context);
  const downloads = downloadRoutes(context);
  return {
    ...instanceRoutes({ ...instance, clock: context.clock }),
    ...uploads,
    ...downloads,
    ...requestRoutes(context),
    ...batchRoutes({ ...uploads, ...downloads }),
    ...operatorRoutes(context),
  } satisfies ApiRoutes;
}

type Given = ApiBody<'batch'>['calls'][number];

/** POST /batch/calls: several calls in one request. Each is checked, counted and answered as if it came alone. */
function batchRoutes(routes: Pick<ApiRoutes, BatchedCall>) {
  async function respond<N extends BatchedCall>(name: N, given: Given, request: FastifyRequest) {
    const { handle, rateLimit }: ApiRoute<N> = routes[name];
    try {
      if (rateLimit !== 'counts itself') await countCall(request, name, rateLimit);
      // Its own headers, and none of the request: one token must not open files of another key.
      return { status: 200, body: await handle(callOf(name, { query: {}, headers: {}, ...given }, request)) };
    } catch (error) {
      return errorResponseOf(error, request);
    }
  }

  return {
    batch: {
      handle: async ({ body, request }) => ({
        responses: await Promise.all(body.calls.map((given) => respond(given.name, given, request))),
      }),
      rateLimit: 'part',
      renewsCookie: true,
    },
  } satisfies Partial<ApiRoutes>;
}

/** POST /contact and /report: messages for the operator. */
function operatorRoutes(context: Context) {
  return {
    contact: {
      async handle({ body }) {
        await contactOperator(context, body);
        return { success: true };
      },
      rateLimit: 'contact',
    },
    report: {
      async handle({ body }) {
        await reportPage(context, body);
        return { success: true };
      },
      rateLimit: 'report',
    },
  } satisfies Partial<ApiRoutes>;
}

interface InstanceDependencies {
  clock: Context['clock'];
  signer: Signer;
  instanceConfig: InstanceConfig;
  findFailing: Readiness;
}

function instanceRoutes({ clock, signer, instanceConfig, findFailing }: InstanceDependencies) {
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

/** A random text. With another one, the same address gets another tag: so a tag does not identify a visitor. */
const NONCE = /^[\w-]{22}$/u;

/** How long the second half of a response comes after the first, if a client asks for that. */
export const HALVES_PAUSE_MS = 500;

/** Shows the doctor whether a proxy passes a response on while it is being sent. */
async function* inHalves(text: string): AsyncGenerator<string> {
  yield text.slice(0, text.length / 2);
  await sleep(HALVES_PAUSE_MS);
  yield text.slice(text.length / 2);
}

/**
 * GET /healthz: the process is running. GET /readyz: the database and the object store respond too, and it will not
 * stop soon.
 */
export function serveHealth(app: FastifyInstance, findFailing: Readiness, stopping: AbortSignal): void {
  const config = { isHealthCheck: true };
  app.get('/healthz', { config }, async (request, reply) => {
    const health = { status: 'ok', ...addressTag(request) };
    reply.header('cache-control', 'no-store');
    if (!Object.hasOwn(request.query as object, 'halves')) return reply.send(health);
    return reply.type('application/json; charset=utf-8').send(Readable.from(inHalves(JSON.stringify(health))));
  });

  app.get('/readyz', { config }, async (_request, reply) => {
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

/** Stands for the host, which depends on the request. */
const ANY_HOST = 'host.invalid';

/** GET /openapi.json. The page that shows it to people, /api/docs, is part of the web app's build. */
export function serveApiDocs(app: FastifyInstance, { contactEmail }: Pick<InstanceConfig, 'contactEmail'>): void {
  const { version } = packageJson;
  const errorTexts = messages.en.apiErrors;
  // Making the document takes 2 ms. It depends on the scheme, because the name of the cookie does.
  const templates = new Map<string, string>();
  function templateFor(scheme: string): string {
    const url = `${scheme}//${ANY_HOST}${app.basePath}`;
    const made = templates.get(scheme) ?? JSON.stringify(openApiDocument({ url, version, contactEmail, errorTexts }));
    templates.set(scheme, made);
    return made;
  }
  const config = rateLimitFor(app, 'openApi', 'read');
  app.get(`${API_PREFIX}/openapi.json`, { config }, async (request, reply) => {
    const { protocol, host } = new URL(siteUrlOf(request));
    return reply
      .type('application/json; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(templateFor(protocol).replaceAll(ANY_HOST, host));
  });
}
