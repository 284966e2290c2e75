// The routes of all calls of the API, below /api. tsc fails if there is an endpoint that is not served here.
import type { ApiBody, BatchedCall } from '@furoshiki/api';
import type { FastifyRequest } from 'fastify';
import { type ApiRoute, type ApiRoutes, callOf } from '../http/api-route.ts';
import { errorResponseOf } from '../http/error-responses.ts';
import { countCall } from '../http/rate-limits.ts';
import type { Context } from '../services/context.ts';
import { contactOperator, reportPage } from '../services/operator-messages.ts';
import { downloadRoutes } from './downloads.ts';
import { type InstanceDependencies, instanceRoutes } from './instance.ts';
import { uploadRoutes } from './uploads.ts';

export function apiRoutes(context: Context, instance: Omit<InstanceDependencies, 'clock'>) {
  const uploads = uploadRoutes(context);
  const downloads = downloadRoutes(context);
  return {
    ...instanceRoutes({ ...instance, clock: context.clock }),
    ...uploads,
    ...downloads,
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
      await countCall(request, name, rateLimit);
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
