// The files of the web app, and a page for every path of the site. Unknown paths get status 404.
import { sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import { API_PREFIX, isListed, parsePath, screenKey } from '@furoshiki/core';
import { languages, preferredLanguage } from '@furoshiki/locales';
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
  await app.register(fastifyStatic, {
    root: webRoot,
    wildcard: false,
    index: false,
    globIgnore: ['index.html', 'pages/**', '**/*.br', '**/*.gz'],
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
  const { screen, language } = parsePath(path, languages);
  // Without a language in the path, accept-language decides. A language chosen before is known only to the page.
  const shown = language ?? preferredLanguage(request.headers['accept-language']);
  const encoding = encodingFor(request.headers['accept-encoding']);
  const page = await pages.find(`${shown}/${screenKey(screen)}`, siteUrlOf(request), encoding);
  if (!page) return sendError(request, reply, 'NOT_FOUND');
  if (isListed(screen)) allowIndexing(reply);
  reply.headers({
    'cache-control': 'no-cache',
    etag: page.etag,
    vary: language === undefined ? 'accept-encoding, accept-language' : 'accept-encoding',
  });
  const isFound = screen.name !== 'not-found';
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
