// The web app's files, and its page for every address of the site. What the site does not have is a real 404.
import { sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import { API_PREFIX, isKnownPath, placeOf } from '@furoshiki/core';
import { languages } from '@furoshiki/locales';
import type { FastifyInstance } from 'fastify';
import { sendError } from '../http/error-answers.ts';
import { STORE_PREFIX } from '../signed-paths.ts';

const HASHED = `${sep}assets${sep}`;

export async function serveWebApp(app: FastifyInstance, webRoot: string): Promise<void> {
  await app.register(fastifyStatic, {
    root: webRoot,
    wildcard: false,
    index: false,
    cacheControl: false,
    setHeaders(reply, path) {
      // Names under assets/ carry a hash of the content; everything else is asked for anew.
      reply.header('cache-control', path.includes(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  app.setNotFoundHandler((request, reply) => {
    const [path = '/'] = request.url.split('?');
    const isPage =
      (request.method === 'GET' || request.method === 'HEAD') &&
      !path.startsWith(`${API_PREFIX}/`) &&
      !path.startsWith(`${STORE_PREFIX}/`);
    if (!isPage) return sendError(request, reply, isKnownPath(path) ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND');
    reply.status(placeOf(path, languages).screen.name === 'not-found' ? 404 : 200);
    return reply.sendFile('index.html');
  });
}
