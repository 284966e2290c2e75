// POST /batch/calls: several calls in one request. Each is checked, counted and answered as if it came alone.
import type { ApiBody, BatchedCall } from '@furoshiki/api';
import type { FastifyRequest } from 'fastify';
import { type ApiRoute, type ApiRoutes, callOf } from '../http/api-route.ts';
import { errorResponseOf } from '../http/error-responses.ts';
import { countCall } from '../http/limits/rate-limits.ts';

type Given = ApiBody<'batch'>['calls'][number];

export function batchRoutes(routes: Pick<ApiRoutes, BatchedCall>) {
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
