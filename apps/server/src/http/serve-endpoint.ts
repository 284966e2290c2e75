// Serves one call of the contract: checks the security token and what came in, and answers JSON.
import {
  type ApiResponse,
  API_PREFIX,
  type ApiBody,
  CSRF_HEADER,
  type Endpoint,
  type EndpointName,
  endpoints,
  Failure,
  type ApiParams,
  type ApiQuery,
} from '@furoshiki/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { limitedFor, type Purpose } from './rate-limits.ts';
import { checkToken } from '../services/security-token.ts';

export interface Call<N extends EndpointName> {
  params: ApiParams<N>;
  query: ApiQuery<N>;
  body: ApiBody<N>;
  request: FastifyRequest;
}

export function serveEndpoint<N extends EndpointName>(
  app: FastifyInstance,
  name: N,
  handle: (call: Call<N>) => Promise<ApiResponse<N>>,
  purpose?: Purpose,
): void {
  const { method, path, ...schemas }: Endpoint = endpoints[name];
  app.route({
    method,
    url: API_PREFIX + path,
    config: { ...limitedFor(app, purpose), renewsCookie: name === 'csrfToken' || name === 'takeGrant' },
    handler: async (request, reply) => {
      if (method !== 'GET' && name !== 'csrfToken') {
        const token = request.headers[CSRF_HEADER];
        checkToken(app.signer, request.clientId, typeof token === 'string' ? token : undefined, app.clock.nowMs());
      }
      const call = {
        params: parsed(schemas.params, request.params),
        query: parsed(schemas.query, request.query),
        body: parsed(schemas.body, request.body),
        request,
      } as Call<N>;
      const answer = await handle(call);
      return reply.header('cache-control', 'no-store').send(answer);
    },
  });
}

function parsed(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  if (!schema) return undefined;
  const result = z.safeParse(schema, value);
  if (!result.success) throw new Failure('VALIDATION_FAILED');
  return result.data;
}
