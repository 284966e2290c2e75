// The files of the web app, and a page for every path of the site. Every path without a page of its own gets the same
// fallback page, with status 404 if the site has nothing there. So a deployment manifest can list what is served.
import { sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import { API_DOCS_PAGE, API_PREFIX, FALLBACK_PAGE, isListed, pageAt, parsePath } from '@furoshiki/core';
import { languages } from '@furoshiki/locales';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { siteUrlOf } from '../../http/client.ts';
import { sendOtherMethod } from '../../http/allowed-methods.ts';
import { sendError, sendJsonError } from '../../http/error-responses.ts';
import { failedCondition } from '../../http/preconditions.ts';
import { allowIndexing } from '../../http/security-headers.ts';
import { type Encoding, readPrerenderedPages, type PrerenderedPages } from './prerendered-pages.ts';
import { STORE_PREFIX } from '../../signed-paths.ts';
import { serveSearchEngines } from './search-engines.ts';

const HASHED = `${sep}assets${sep}`;
const ASSETS_PREFIX = '/assets/';
const PAGE_METHODS = new Set(['GET', 'HEAD']);

export async function serveWebApp(app: FastifyInstance, webRoot: string): Promise<void> {
  const pages = await readPrerenderedPages(webRoot, app.basePath, app.publicOrigin);
  serveSearchEngines(app);
  if (pages)
    app.get(`${API_PREFIX}/docs`, (request, reply) =>
      sendFilled(pages, API_DOCS_PAGE, request, reply.headers(app.pageHeaders)),
    );
  await app.register(fastifyStatic, {
    root: webRoot,
    wildcard: false,
    index: false,
    globIgnore: ['pages/**', '**/*.br', '**/*.gz'],
    // Sends the compressed files that the build has made.
    preCompressed: true,
    decorateReply: false,
    cacheControl: false,
    // Their tags are weak, so no client can be sure that two ranges belong together.
    acceptRanges: false,
    setHeaders(reply, path) {
      allowIndexing(reply);
      reply.header('vary', 'accept-encoding');
      // Names in assets/ contain a hash of the content. All other files, also the service worker, are revalidated.
      reply.header('cache-control', path.includes(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  app.setNotFoundHandler((request, reply) => {
    // What the router takes for the path.
    const [path = '/'] = request.url.split(/[?#]/u, 1);
    const hasPage = pages !== undefined && isPagePath(path);
    const methods = app.methodsAt(request.originalUrl === '*' ? '*' : path);
    if (methods.size === 0 && hasPage) {
      if (PAGE_METHODS.has(request.method)) return sendPage(pages, path, request, reply);
      if (parsePath(path, languages).screen.name !== 'not-found') return sendOtherMethod(request, reply, PAGE_METHODS);
    }
    if (methods.size > 0 && !methods.has(request.method)) return sendOtherMethod(request, reply, methods);
    // A script of an older build: its client cannot use a page.
    return (path.startsWith(ASSETS_PREFIX) ? sendJsonError : sendError)(request, reply, 'NOT_FOUND');
  });
}

const isPagePath = (path: string) =>
  [API_PREFIX, STORE_PREFIX].every((prefix) => !path.startsWith(`${prefix}/`)) && !path.startsWith(ASSETS_PREFIX);

async function sendPage(pages: PrerenderedPages, path: string, request: FastifyRequest, reply: FastifyReply) {
  const { screen } = parsePath(path, languages);
  const name = pageAt(path, languages);
  // A manifest has no page for a path that ends with a slash.
  if (name === FALLBACK_PAGE && path.length > 1 && path.endsWith('/')) return sendWithoutSlash(path, request, reply);
  if (isListed(screen)) allowIndexing(reply);
  return sendFilled(pages, name, request, reply, screen.name !== 'not-found');
}

/** The location is a path with one slash at its start, so it cannot lead to another site. A backslash would be a second one. */
function sendWithoutSlash(path: string, { url, server }: FastifyRequest, reply: FastifyReply) {
  const target = `/${path.replaceAll(/^[/\\]+|[/\\]+$/gu, '')}`;
  return reply
    .status(308)
    .header('location', server.basePath + target + url.slice(path.length))
    .send();
}

async function sendFilled(
  pages: PrerenderedPages,
  name: string,
  request: FastifyRequest,
  reply: FastifyReply,
  isFound = true,
) {
  const encoding = encodingFor(request.headers['accept-encoding']);
  const page = await pages.find(name, siteUrlOf(request), encoding);
  if (!page) return sendError(request, reply, 'NOT_FOUND');
  reply.headers({ 'cache-control': 'no-cache', etag: page.etag, vary: 'accept-encoding' });
  const failed = isFound && failedCondition(request, page.etag);
  if (failed) return reply.status(failed).send();
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  reply.status(isFound ? 200 : 404);
  return reply.type('text/html; charset=utf-8').send(page.bytes);
}

function encodingFor(accepted: string | string[] | undefined): Encoding {
  const offers = String(accepted ?? '').split(',');
  const names = new Set(
    offers.filter((offer) => !/;\s*q=0(?:\.0*)?\s*$/u.test(offer)).map((offer) => offer.split(';')[0]?.trim()),
  );
  if (names.has('br')) return 'br';
  return names.has('gzip') ? 'gzip' : 'identity';
}
