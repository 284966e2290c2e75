// The files of the web app, and a page for every path of the site. Every path without a page of its own gets the same fallback
// page, with status 404 if the site has nothing there. So a deployment manifest can list what is served.
import { sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import { API_PREFIX, UPLOAD_TOKEN_HEADER } from '@furoshiki/api';
import { API_DOCS_PAGE, FALLBACK_PAGE, isListed, pageAt, parsePath, screenPath } from '@furoshiki/site';
import { languages } from '@furoshiki/texts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendOtherMethod } from '../http/allowed-methods.ts';
import { setCookie, siteUrlOf, UPLOAD_PASS_COOKIE } from '../http/client.ts';
import { failedCondition } from '../http/conditional-requests.ts';
import { sendError, sendJsonError } from '../http/error-responses.ts';
import { allowIndexing } from '../http/security-headers.ts';
import type { Context } from '../services/context.ts';
import { passFor, UPLOAD_PASS_MS } from '../services/upload-permission.ts';
import { STORE_PREFIX } from '../signing.ts';
import { type Encoding, type PrerenderedPages, readPrerenderedPages } from './prerendered-pages.ts';
import { serveSearchEngines } from './well-known.ts';

const HASHED = `${sep}assets${sep}`;
const ASSETS_PREFIX = '/assets/';
const PAGE_METHODS = new Set(['GET', 'HEAD']);

type PageContext = Pick<Context, 'limits' | 'uploadPasses'>;

export async function serveWebApp(app: FastifyInstance, webRoot: string, context: PageContext): Promise<void> {
  const hasScreen = (path: string) => {
    const { name } = parsePath(path, languages).screen;
    return name === 'sign-in' ? context.uploadPasses !== undefined : name !== 'not-found';
  };
  const pages = await readPrerenderedPages(webRoot, app.basePath, app.publicOrigin);
  serveSearchEngines(app);
  if (pages)
    app.get(`${API_PREFIX}/docs`, (request, reply) =>
      sendFilled(pages, API_DOCS_PAGE, request, reply.headers(app.pageHeaders)),
    );
  if (pages && context.uploadPasses) serveSignIn(app, pages, context);
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
      if (PAGE_METHODS.has(request.method)) return sendPage(pages, path, request, reply, hasScreen(path));
      if (hasScreen(path)) return sendOtherMethod(request, reply, PAGE_METHODS);
    }
    if (methods.size > 0 && !methods.has(request.method)) return sendOtherMethod(request, reply, methods);
    // A script of an older build: its client cannot use a page.
    return (path.startsWith(ASSETS_PREFIX) ? sendJsonError : sendError)(request, reply, 'NOT_FOUND');
  });
}

const isPagePath = (path: string) =>
  [API_PREFIX, STORE_PREFIX].every((prefix) => !path.startsWith(`${prefix}/`)) && !path.startsWith(ASSETS_PREFIX);

/**
 * The proxy lets only people who have signed in reach this path, and adds the upload token to their requests. The page is
 * the same for everyone, because what a server serves must be verifiable; only the cookie differs.
 */
function serveSignIn(app: FastifyInstance, pages: PrerenderedPages, context: PageContext): void {
  app.get(screenPath({ name: 'sign-in' }), (request, reply) => {
    const token = request.headers[UPLOAD_TOKEN_HEADER];
    const pass = passFor(context, typeof token === 'string' ? token : undefined);
    if (pass !== undefined) setCookie(request, reply, UPLOAD_PASS_COOKIE, pass, UPLOAD_PASS_MS / 1000);
    return sendFilled(pages, FALLBACK_PAGE, request, reply, { isStored: false });
  });
}

async function sendPage(
  pages: PrerenderedPages,
  path: string,
  request: FastifyRequest,
  reply: FastifyReply,
  isFound: boolean,
) {
  const { screen } = parsePath(path, languages);
  const name = pageAt(path, languages);
  // A manifest has no page for a path that ends with a slash.
  if (name === FALLBACK_PAGE && path.length > 1 && path.endsWith('/')) return sendWithoutSlash(path, request, reply);
  if (isListed(screen)) allowIndexing(reply);
  return sendFilled(pages, name, request, reply, { isFound });
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
  { isFound = true, isStored = true } = {},
) {
  const encoding = encodingFor(request.headers['accept-encoding']);
  const page = await pages.find(name, siteUrlOf(request), encoding);
  if (!page) return sendError(request, reply, 'NOT_FOUND');
  reply.header('vary', 'accept-encoding');
  reply.headers(isStored ? { 'cache-control': 'no-cache', etag: page.etag } : { 'cache-control': 'no-store' });
  const failed = isFound && isStored && failedCondition(request, page.etag);
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
