// The fake server of the transfer tests behind HTTP, for clients that run as a process or over the network.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { API_PREFIX, asFailure, type Endpoint, type EndpointName, endpoints } from '@furoshiki/api';
import { DEFAULT_INSTANCE, type FakeServer } from '../../../packages/transfer/testing/fake-server.ts';

/** The origin of the storage in the fake's signed URLs. */
const STORAGE = 'https://storage.test';

export interface FakeSite {
  url: string;
  close(): Promise<void>;
}

export async function startFakeSite(server: FakeServer): Promise<FakeSite> {
  const http = createServer((request, response) => {
    respond(server, originOf(http), request, response).catch((thrown: unknown) => {
      const { code, details } = asFailure(thrown);
      response.writeHead(details.status ?? 500, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ errorCode: code, error: code, message: code }));
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    url: originOf(http),
    close() {
      http.closeAllConnections();
      return new Promise((resolve) => void http.close(() => resolve()));
    },
  };
}

const originOf = (http: Server) => `http://127.0.0.1:${(http.address() as AddressInfo).port}`;

async function respond(server: FakeServer, origin: string, request: IncomingMessage, response: ServerResponse) {
  const { pathname } = new URL(request.url ?? '/', origin);
  if (!pathname.startsWith(API_PREFIX)) return sendBytes(server, pathname, request, response);
  const sent = await text(request);
  const body: unknown = sent === '' ? undefined : JSON.parse(sent);
  const send = (result: object) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(result).replaceAll(STORAGE, origin));
  };
  const [name, params] = find(request.method ?? '', pathname.slice(API_PREFIX.length));
  if (name === 'csrfToken') return send({ token: 'token' });
  if (name === 'config') return send(DEFAULT_INSTANCE);
  if (name !== 'batch') return send(await call(server, name, { params, headers: request.headers, body }));
  const { calls } = body as { calls: { name: EndpointName }[] };
  const bodies = await Promise.all(calls.map(({ name: inner, ...input }) => call(server, inner, input)));
  return send({ responses: bodies.map((inner) => ({ status: 200, body: inner })) });
}

const call = (server: FakeServer, name: EndpointName, input: object): Promise<object> => server.api.call(name, input);

function find(method: string, path: string): [EndpointName, Record<string, string>] {
  for (const [name, endpoint] of Object.entries(endpoints) as [EndpointName, Endpoint][]) {
    const pattern = new RegExp(`^${endpoint.path.replaceAll(/:(\w+)/gu, '(?<$1>[^/]+)')}$`, 'u');
    const match = endpoint.method === method ? pattern.exec(path) : null;
    if (match) return [name, { ...match.groups }];
  }
  throw new Error(`no call: ${method} ${path}`);
}

async function sendBytes(server: FakeServer, path: string, request: IncomingMessage, response: ServerResponse) {
  const [, first = 0, last = 0] = /bytes=(\d+)-(\d+)/u.exec(request.headers.range ?? '')?.map(Number) ?? [];
  const { signal } = new AbortController();
  if (request.method === 'PUT') {
    const etag = await server.storage.put(STORAGE + path, Uint8Array.from(await buffer(request)), () => {}, signal);
    return void response.writeHead(200, { etag }).end();
  }
  const bytes = await server.storage.getRange(STORAGE + path, first, last + 1, () => {}, signal);
  if (bytes.length === 0) return void response.writeHead(416).end();
  const range = `bytes ${first}-${first + bytes.length - 1}/${last + 1}`;
  return void response.writeHead(206, { 'content-range': range, 'content-length': bytes.length }).end(bytes);
}
