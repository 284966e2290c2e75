// The files of the web app, and a page for every path of the site. Unknown paths get status 404.
import { sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import { API_PREFIX, isKnownPath, isListed, parsePath, screenKey } from '@furoshiki/core';
import { languages, preferredLanguage } from '@furoshiki/locales';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { siteUrlOf } from '../../http/client.ts';
import { sendError } from '../../http/error-responses.ts';
import { allowIndexing } from '../../http/security-headers.ts';
import { type Encoding, readPrerenderedPages, type PrerenderedPages } from './prerendered-pages.ts';
import { STORE_PREFIX } from '../../signed-paths.ts';
import { serveSearchEngines } from './search-engines.ts';

const HASHED = `${sep}assets${sep}`;
const ASSETS_PREFIX = '/assets/';

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
    setHeaders(reply, path) {
      allowIndexing(reply);
      reply.header('vary', 'accept-encoding');
      // Names in assets/ contain a hash of the content. All other files, also the service worker, are revalidated.
      reply.header('cache-control', path.includes(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  app.setNotFoundHandler((request, reply) => {
    const [path = '/'] = request.url.split('?');
    const isPage =
      (request.method === 'GET' || request.method === 'HEAD') &&
      !path.startsWith(`${API_PREFIX}/`) &&
      !path.startsWith(`${STORE_PREFIX}/`) &&
      // A script of an older build: its client cannot use a page.
      !path.startsWith(ASSETS_PREFIX);
    if (!isPage || pages === undefined)
      return sendError(request, reply, isKnownPath(path) ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND');
    return sendPage(pages, path, request, reply);
  });
}

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
  if (request.headers['if-none-match'] === page.etag) return reply.status(304).send();
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  reply.status(screen.name === 'not-found' ? 404 : 200);
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
