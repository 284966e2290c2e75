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
  const documentFor = (request: FastifyRequest) =>
    openApiDocument({ url: siteUrlOf(request), version, contactEmail, errorTexts });

  app.get(`${API_PREFIX}/openapi.json`, async (request, reply) =>
    reply.header('cache-control', 'no-cache').send(documentFor(request)),
  );
  app.get(`${API_PREFIX}/docs`, async (request, reply) =>
    reply
      .headers(app.pageHeaders)
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(apiDocsPage(documentFor(request))),
  );
  app.get(`${API_PREFIX}/docs.css`, async (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('text/css; charset=utf-8').send(STYLE),
  );
}
