// GET /openapi.json and a page that shows it to people: plain HTML without scripts and without files of other sites.
import { API_PREFIX, escapeHtml, openApiDocument } from '@furoshiki/core';
import type { FastifyInstance } from 'fastify';
import { siteUrlOf } from '../http/client.ts';

export function serveApiDocs(app: FastifyInstance): void {
  app.get(`${API_PREFIX}/openapi.json`, async (request, reply) =>
    reply.header('cache-control', 'no-cache').send(openApiDocument(siteUrlOf(request))),
  );
  app.get(`${API_PREFIX}/docs`, async (request, reply) =>
    reply
      .headers(app.pageHeaders)
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(pageOf(openApiDocument(siteUrlOf(request)))),
  );
  app.get(`${API_PREFIX}/docs.css`, async (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('text/css; charset=utf-8').send(STYLE),
  );
}

interface Operation {
  operationId: string;
  summary: string;
  parameters: { name: string; in: string; required: boolean }[];
  requestBody?: { content: Record<string, { schema: unknown }> };
  responses: Record<string, { description: string; content: Record<string, { schema?: unknown }> }>;
}

interface Document {
  info: { title: string; description: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: { Error: unknown } };
}

function pageOf(json: Record<string, unknown>): string {
  const { info, servers, paths, components } = json as unknown as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => sectionOf(method.toUpperCase(), path, operation)),
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(info.title)} API</title>
<link rel="stylesheet" href="docs.css">
</head>
<body>
<main>
<h1>${escapeHtml(info.title)} API</h1>
${info.description
  .split('\n\n')
  .map((text) => `<p>${escapeHtml(text)}</p>`)
  .join('\n')}
<p>All paths are below <code>${escapeHtml(servers[0]?.url ?? '')}</code>. The same for machines: <a href="openapi.json">openapi.json</a>.</p>
${operations.join('\n')}
<section>
<h2>Errors</h2>
${schemaBlock(components.schemas.Error)}
</section>
</main>
</body>
</html>
`;
}

function sectionOf(
  method: string,
  path: string,
  { operationId, summary, parameters, requestBody, responses }: Operation,
): string {
  const body = requestBody?.content['application/json']?.schema;
  const results = Object.entries(responses)
    .filter(([status]) => status !== 'default')
    .map(([status, { description, content }]) => {
      const schema = content['application/json']?.schema;
      return `<h3>${status}</h3>${schema === undefined ? `<p>${escapeHtml(description)}</p>` : schemaBlock(schema)}`;
    });
  return `<section id="${escapeHtml(operationId)}">
<h2><code>${method} ${escapeHtml(path)}</code></h2>
<p>${escapeHtml(summary)}</p>
${parameters.length === 0 ? '' : `<h3>Parameters</h3><ul>${parameters.map(parameterItem).join('')}</ul>`}
${body === undefined ? '' : `<h3>Body</h3>${schemaBlock(body)}`}
${results.join('\n')}
</section>`;
}

function parameterItem({ name, in: place, required }: Operation['parameters'][number]): string {
  return `<li><code>${escapeHtml(name)}</code> in ${escapeHtml(place)}${required ? '' : ', optional'}</li>`;
}

function schemaBlock(schema: unknown): string {
  return `<pre tabindex="0">${escapeHtml(JSON.stringify(schema, null, 2))}</pre>`;
}

const STYLE = `:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.6; }
body { margin: 0; background: light-dark(#faf7f1, #1a1816); color: light-dark(#2a2622, #efe9df); }
main { max-width: 48rem; margin: 0 auto; padding: 2rem 1rem; }
section { border-top: 1px solid light-dark(#d9d1c3, #443e37); padding: 1rem 0; }
h2 { font-size: 1.1rem; overflow-wrap: anywhere; }
h3 { font-size: 0.9rem; margin: 0.75rem 0 0.25rem; }
a { color: light-dark(#274a78, #8fb2e3); }
pre { max-height: 20rem; overflow: auto; padding: 0.75rem; border-radius: 0.5rem; background: light-dark(#f1ece2, #12110f); font-size: 0.85rem; }
`;
