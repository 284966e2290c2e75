// The web app's files, and a page for every address of the site. What the site does not have is a real 404.
import { sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import { API_PREFIX, isKnownPath, isListed, placeOf, screenKey } from '@furoshiki/core';
import { languages, preferredLanguage } from '@furoshiki/locales';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { siteUrlOf } from '../../http/client.ts';
import { sendError } from '../../http/error-responses.ts';
import { letBeFound } from '../../http/security-headers.ts';
import { type Encoding, readWrittenPages, type WrittenPages } from './prerendered-pages.ts';
import { STORE_PREFIX } from '../../signed-paths.ts';
import { serveSearchEngines } from './search-engines.ts';

const HASHED = `${sep}assets${sep}`;
const ASSETS_PREFIX = '/assets/';
/** A Host header is anybody's text, and a page is markup: what could end an attribute is not written into it. */
const PLAIN_ADDRESS = /^[\w.:/[\]-]+$/u;

export async function serveWebApp(app: FastifyInstance, webRoot: string): Promise<void> {
  const pages = await readWrittenPages(webRoot, app.basePath);
  serveSearchEngines(app);
  await app.register(fastifyStatic, {
    root: webRoot,
    wildcard: false,
    index: false,
    globIgnore: ['index.html', 'pages/**', '**/*.br', '**/*.gz'],
    // What the build has packed is sent packed.
    preCompressed: true,
    decorateReply: false,
    cacheControl: false,
    setHeaders(reply, path) {
      letBeFound(reply);
      reply.header('vary', 'accept-encoding');
      // Names under assets/ carry a hash of the content; everything else, the service worker too, is asked for anew.
      reply.header('cache-control', path.includes(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  app.setNotFoundHandler((request, reply) => {
    const [path = '/'] = request.url.split('?');
    const isPage =
      (request.method === 'GET' || request.method === 'HEAD') &&
      !path.startsWith(`${API_PREFIX}/`) &&
      !path.startsWith(`${STORE_PREFIX}/`) &&
      // A file of an older build: whoever asks for a script has no use for a page.
      !path.startsWith(ASSETS_PREFIX);
    if (!isPage || pages === undefined)
      return sendError(request, reply, isKnownPath(path) ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND');
    return sendPage(pages, path, request, reply);
  });
}

async function sendPage(pages: WrittenPages, path: string, request: FastifyRequest, reply: FastifyReply) {
  const { screen, language } = placeOf(path, languages);
  const siteUrl = siteUrlOf(request);
  if (!PLAIN_ADDRESS.test(siteUrl)) return sendError(request, reply, 'VALIDATION_FAILED');
  // Without a language in the path the reader's own decides; one that they have chosen before, only the page knows.
  const shown = language ?? preferredLanguage(request.headers['accept-language']);
  const encoding = encodingFor(request.headers['accept-encoding']);
  const page = await pages.find(`${shown}/${screenKey(screen)}`, siteUrl, encoding);
  if (!page) return sendError(request, reply, 'NOT_FOUND');
  if (isListed(screen)) letBeFound(reply);
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
  const wishes = String(accepted ?? '').split(',');
  const names = new Set(
    wishes.filter((wish) => !/;\s*q=0(?:\.0*)?\s*$/u.test(wish)).map((wish) => wish.split(';')[0]?.trim()),
  );
  if (names.has('br')) return 'br';
  return names.has('gzip') ? 'gzip' : 'identity';
}
