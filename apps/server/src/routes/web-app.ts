// The web app's files, and its page for every address of the site. What the site does not have is a real 404.
import { readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import { API_PREFIX, isKnownPath, placeOf } from '@furoshiki/core';
import { languages } from '@furoshiki/locales';
import type { FastifyInstance } from 'fastify';
import { sendError } from '../http/error-answers.ts';
import { letBeFound } from '../http/security-headers.ts';
import { STORE_PREFIX } from '../signed-paths.ts';

const HASHED = `${sep}assets${sep}`;
const PAGE = 'index.html';

export async function serveWebApp(app: FastifyInstance, webRoot: string): Promise<void> {
  const page = await readPage(join(webRoot, PAGE), app.basePath);
  await app.register(fastifyStatic, {
    root: webRoot,
    wildcard: false,
    index: false,
    globIgnore: [PAGE],
    decorateReply: false,
    cacheControl: false,
    setHeaders(reply, path) {
      letBeFound(reply);
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
    if (!isPage || page === undefined)
      return sendError(request, reply, isKnownPath(path) ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND');
    const { screen } = placeOf(path, languages);
    if (screen.name === 'home') letBeFound(reply);
    reply.status(screen.name === 'not-found' ? 404 : 200);
    return reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(page);
  });
}

/** The page with our base path in it. Undefined in development, where Vite serves the page and nothing is built. */
async function readPage(path: string, basePath: string): Promise<string | undefined> {
  const built = await readFile(path, 'utf8').catch(() => undefined);
  if (built === undefined) return undefined;
  const page = built.replace('<base href="/" />', `<base href="${basePath}/" />`);
  if (basePath !== '' && page === built) throw new Error(`${path} has no <base> to write BASE_PATH into`);
  return page;
}
