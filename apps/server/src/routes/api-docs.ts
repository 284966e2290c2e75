// GET /openapi.json and a page that shows it to people: plain HTML without scripts and without files of other sites.
import { API_PREFIX, type InstanceConfig, openApiDocument } from '@furoshiki/core';
import { messages } from '@furoshiki/locales/messages';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import packageJson from '../../package.json' with { type: 'json' };
import { siteUrlOf } from '../http/client.ts';
import { apiDocsPage, STYLE } from './api-docs-page.ts';

export function serveApiDocs(app: FastifyInstance, { contactEmail }: Pick<InstanceConfig, 'contactEmail'>): void {
  const { version } = packageJson;
  const errorTexts = messages.en.apiErrors;
  // Making the document takes longer than sending it, and almost all requests use the same URL of the site.
  let newest = { url: '', json: '', html: '' };
  function docsOf(request: FastifyRequest) {
    const url = siteUrlOf(request);
    if (newest.url === url) return newest;
    const document = openApiDocument({ url, version, contactEmail, errorTexts });
    newest = { url, json: JSON.stringify(document), html: apiDocsPage(document) };
    return newest;
  }

  app.get(`${API_PREFIX}/openapi.json`, async (request, reply) =>
    reply.header('cache-control', 'no-cache').type('application/json; charset=utf-8').send(docsOf(request).json),
  );
  app.get(`${API_PREFIX}/docs`, async (request, reply) =>
    reply
      .headers(app.pageHeaders)
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(docsOf(request).html),
  );
  app.get(`${API_PREFIX}/docs.css`, async (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('text/css; charset=utf-8').send(STYLE),
  );
}
