// The type of the route table, and the loop that registers it: every endpoint has exactly one route.
import {
  API_PREFIX,
  type ApiBody,
  type ApiHeaders,
  type ApiParams,
  type ApiQuery,
  type ApiResponse,
  CANNOT_BE_AN_ID,
  CSRF_HEADER,
  type Endpoint,
  type EndpointName,
  endpoints,
  Failure,
} from '@furoshiki/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { checkToken } from '../signing.ts';
import { headerOf } from './client.ts';
import { type Purpose, rateLimitFor } from './limits.ts';

/** A request whose parameters, query, headers and body match the endpoint's schemas. */
interface ApiCall<N extends EndpointName> {
  params: ApiParams<N>;
  query: ApiQuery<N>;
  headers: ApiHeaders<N>;
  body: ApiBody<N>;
  request: FastifyRequest;
}

interface GivenCall {
  params?: unknown;
  query?: unknown;
  /** Names in lower case. */
  headers?: unknown;
  body?: unknown;
}

export interface ApiRoute<N extends EndpointName> {
  handle(call: ApiCall<N>): Promise<ApiResponse<N>>;
  /** What the call counts as for its client address. `handle` counts a call itself if it depends on the outcome. */
  rateLimit: Purpose | 'counts itself';
  /** The response binds something to the client's cookie, so the cookie starts a new lifetime. */
  renewsCookie?: boolean;
  /** The GET changes something, so it has no HEAD: clients expect that a HEAD costs nothing. */
  refusesHead?: boolean;
  /** The response may have megabytes. */
  isLarge?: boolean;
  /** Only for the call that issues the security token. All other calls that change something must carry one. */
  needsNoToken?: boolean;
}

/** An endpoint that is missing here is a compile error. */
export type ApiRoutes = { [N in EndpointName]: ApiRoute<N> };

export function serveApiRoutes(app: FastifyInstance, routes: ApiRoutes): void {
  for (const name of Object.keys(endpoints) as EndpointName[]) serveApiRoute(app, name, routes[name]);
}

function serveApiRoute<N extends EndpointName>(app: FastifyInstance, name: N, route: ApiRoutes[N]): void {
  const { method, path }: Endpoint = endpoints[name];
  const {
    rateLimit,
    renewsCookie = false,
    isLarge = false,
    refusesHead = false,
    needsNoToken = false,
  }: ApiRoute<N> = route;
  const checksToken = method !== 'GET' && !needsNoToken;
  app.route({
    method,
    url: API_PREFIX + path,
    exposeHeadRoute: !refusesHead,
    config: { ...(rateLimit === 'counts itself' ? {} : rateLimitFor(app, name, rateLimit)), renewsCookie, isLarge },
    handler: async (request, reply) => {
      if (checksToken) checkTokenOf(request);
      return reply.header('cache-control', 'no-store').send(await route.handle(callOf(name, request, request)));
    },
  });
}

/** Throws CSRF_TOKEN_EXPIRED. */
export function checkTokenOf(request: FastifyRequest): void {
  const { clientId, server } = request;
  checkToken(server.signer, clientId, headerOf(request, CSRF_HEADER), server.clock.nowMs());
}

/** Throws VALIDATION_FAILED if what was given does not match the endpoint's schemas, or NOT_FOUND if only ids do not. */
export function callOf<N extends EndpointName>(name: N, given: GivenCall, request: FastifyRequest): ApiCall<N> {
  const schemas: Partial<Endpoint> = endpoints[name];
  return {
    params: parsed('params', schemas, given),
    query: parsed('query', schemas, given),
    headers: parsed('headers', schemas, given),
    body: parsed('body', schemas, given),
    request,
  } as ApiCall<N>;
}

function parsed(place: keyof GivenCall, schemas: Partial<Endpoint>, given: GivenCall): unknown {
  const schema = schemas[place];
  return schema && validated(place, schema, given[place]);
}

/** The same for one schema. */
export function validated<S extends Schema>(place: keyof GivenCall, schema: S, given: unknown): z.output<S> {
  const result = z.safeParse(schema, given);
  if (result.success) return result.data;
  const mistake = result.error.issues.find(({ message }) => message !== CANNOT_BE_AN_ID);
  if (!mistake) throw new Failure('NOT_FOUND');
  const name = knownField(schema, mistake.path);
  throw new Failure('VALIDATION_FAILED', { field: name === '' ? place : `${place}.${name}` });
}

type Schema = z.core.$ZodType;
type Definition = {
  innerType?: Schema;
  options?: Schema[];
  shape?: Record<string, Schema>;
  element?: Schema;
};

/**
 * Names the field that a schema refuses. A name that only the client knows, such as the key of a record, is not
 * repeated. Returns a text such as `files.3.fileName`, or '' for the whole value. It ends at the last name that the
 * schema has.
 */
function knownField(schema: Schema, path: readonly PropertyKey[]): string {
  const names: string[] = [];
  let reached = [schema];
  for (const step of path) {
    reached = reached.flatMap(alternatives).flatMap((one) => childOf(one, step));
    if (reached.length === 0) break;
    names.push(String(step));
  }
  return names.join('.');
}

/** Looks through optional values and unions. */
function alternatives(schema: Schema): Schema[] {
  const { innerType, options } = definitionOf(schema);
  const inside = innerType ? [innerType] : options;
  return inside ? inside.flatMap(alternatives) : [schema];
}

function childOf(schema: Schema, step: PropertyKey): Schema[] {
  const { shape = {}, element } = definitionOf(schema);
  if (typeof step === 'number') return element ? [element] : [];
  return typeof step === 'string' && Object.hasOwn(shape, step) && shape[step] ? [shape[step]] : [];
}

const definitionOf = (schema: Schema) => (schema as unknown as { def: Definition }).def;
