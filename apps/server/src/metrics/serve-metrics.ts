// GET and HEAD /metrics on a separate port, so that it is never public.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Registry } from 'prom-client';

const ALLOWED = 'GET, HEAD, OPTIONS';

export async function serveMetrics(registry: Registry, host: string, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    const { method, url = '' } = request;
    if (url.split('?', 1)[0] !== '/metrics') response.writeHead(404).end();
    else if (method === 'OPTIONS') response.writeHead(204, { allow: ALLOWED }).end();
    else if (method !== 'GET' && method !== 'HEAD') response.writeHead(405, { allow: ALLOWED }).end();
    else
      registry.metrics().then(
        (text) =>
          response
            .writeHead(200, { 'content-type': registry.contentType, 'content-length': Buffer.byteLength(text) })
            .end(text),
        () => response.writeHead(500).end(),
      );
  });
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}
