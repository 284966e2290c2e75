// GET /openapi.json. The page that shows it to people, /api/docs, is part of the web app's build.
import { API_PREFIX, type InstanceConfig, openApiDocument } from '@furoshiki/api';
import { messages } from '@furoshiki/texts/messages';
import type { FastifyInstance } from 'fastify';
import packageJson from '../../package.json' with { type: 'json' };
import { siteUrlOf } from '../http/client.ts';

export function serveApiDocs(app: FastifyInstance, { contactEmail }: Pick<InstanceConfig, 'contactEmail'>): void {
  const { version } = packageJson;
  const errorTexts = messages.en.apiErrors;
  app.get(`${API_PREFIX}/openapi.json`, async (request, reply) =>
    reply
      .header('cache-control', 'no-cache')
      .send(openApiDocument({ url: siteUrlOf(request), version, contactEmail, errorTexts })),
  );
}
