// A `fetch` that passes requests to a Fastify app without a socket.
import type { FastifyInstance } from 'fastify';
import { assertDeclared } from './declared-responses.ts';

const STATUSES_WITHOUT_BODY = new Set([204, 205, 304]);

/** Follows no redirects and ignores `signal`: the app has no redirects, and a test's own timeout ends a hanging request. */
export function fetchFrom(app: FastifyInstance, origin: string) {
  return async (url: string, init: RequestInit = {}): Promise<Response> => {
    if (!url.startsWith(origin)) throw new Error(`${url} is not a URL of this server`);
    const { host } = new URL(origin);
    // Reads headers and body as a real request would send them, with their content type.
    const request = new Request(url, init);
    const body = await request.arrayBuffer();
    const response = await app.inject({
      method: request.method,
      url: url.slice(origin.length) || '/',
      headers: { host, ...Object.fromEntries(request.headers) },
      ...(init.body === undefined || init.body === null ? {} : { payload: Buffer.from(body) }),
    });
    assertDeclared(request.method, new URL(url).pathname.slice(app.basePath.length), response);
    const headers = new Headers();
    for (const [name, values] of Object.entries(response.headers))
      for (const value of [values].flat()) if (value !== undefined) headers.append(name, String(value));
    const hasBody = !STATUSES_WITHOUT_BODY.has(response.statusCode);
    return new Response(hasBody ? new Uint8Array(response.rawPayload) : null, { status: response.statusCode, headers });
  };
}
