// The files of the web app, and a page for every path of the site. Every path without a page of its own gets the same fallback
// page, with status 404 if the site has nothing there. So a deployment manifest can list what is served. And files at fixed
// addresses for programs: robots.txt, sitemap.xml, security.txt and those of WEBCAT.
import { join, sep } from 'node:path';
import { readFile } from 'node:fs/promises';
import { negotiate } from '@fastify/accept-negotiator';
import fastifyStatic from '@fastify/static';
import { API_PREFIX, UPLOAD_TOKEN_HEADER } from '@furoshiki/api';
import {
  API_DOCS_PAGE,
  escapeHtml,
  FALLBACK_PAGE,
  isListed,
  LISTED_SCREENS,
  pageAt,
  parsePath,
  screenPath,
  SHARE_PATH,
  SHARED_FRAGMENT,
  type SiteAddress,
} from '@furoshiki/site';
import { languages } from '@furoshiki/texts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { headerOf, setCookie, siteUrlOf, UPLOAD_PASS_COOKIE } from '../http/client.ts';
import { sendError, sendJsonError } from '../http/error-responses.ts';
import { sendOtherMethod, WEBCAT_PREFIX } from '../http/request-target.ts';
import { allowIndexing } from '../http/security-headers.ts';
import { failedCondition } from '../http/send-stored-bytes.ts';
import { type Context, nextUtcMidnightMs } from '../services/context.ts';
import { passFor, UPLOAD_PASS_MS } from '../services/upload-permission.ts';
import { STORE_PREFIX } from '../signing.ts';
import { type Encoding, type PrerenderedPages, readPrerenderedPages } from './prerendered-pages.ts';

const HASHED = `${sep}assets${sep}`;
const ASSETS_PREFIX = '/assets/';
/** As the build has compressed the pages, the smallest first. */
const ENCODINGS: Encoding[] = ['br', 'gzip', 'identity'];
const PAGE_METHODS = new Set(['GET', 'HEAD']);

type PageContext = Pick<Context, 'limits' | 'uploadPasses'>;

export async function serveWebApp(
  app: FastifyInstance,
  webRoot: string,
  address: SiteAddress,
  context: PageContext,
): Promise<void> {
  const hasScreen = (path: string) => {
    const { name } = parsePath(path, languages).screen;
    return name === 'sign-in' ? context.uploadPasses !== undefined : name !== 'not-found';
  };
  const pages = await readPrerenderedPages(webRoot, address);
  serveSearchEngines(app);
  refuseShared(app);
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
    const pass = passFor(context, headerOf(request, UPLOAD_TOKEN_HEADER));
    if (pass !== undefined) setCookie(request, reply, UPLOAD_PASS_COOKIE, pass, UPLOAD_PASS_MS / 1000);
    return sendFilled(pages, FALLBACK_PAGE, request, reply, { isStored: false });
  });
}

/**
 * Files that another app shares belong to the service worker. A browser that has lost it sends them here, in clear. Nothing of the
 * body is read, and home says that they did not arrive.
 */
function refuseShared(app: FastifyInstance): void {
  app.post(SHARE_PATH, {
    onRequest: (_request, reply) => {
      reply.headers({ location: `${app.basePath}/${SHARED_FRAGMENT}`, connection: 'close' });
      void reply.status(303).send();
    },
    handler: () => undefined,
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
  const encoding = negotiate(request.headers['accept-encoding'] ?? '', ENCODINGS) ?? 'identity';
  const page = await pages.find(name, encoding);
  if (!page) return sendError(request, reply, 'NOT_FOUND');
  reply.header('vary', 'accept-encoding');
  reply.headers(isStored ? { 'cache-control': 'no-cache', etag: page.etag } : { 'cache-control': 'no-store' });
  const failed = isFound && isStored && failedCondition(request, page.etag);
  if (failed) return reply.status(failed).send();
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  reply.status(isFound ? 200 : 404);
  return reply.type('text/html; charset=utf-8').send(page.bytes);
}

/**
 * robots.txt and sitemap.xml: the pages that search engines may list, in every language. Download pages are in neither.
 */
function serveSearchEngines(app: FastifyInstance): void {
  app.get('/robots.txt', (request, reply) => {
    allowIndexing(reply);
    const forbidden = [API_PREFIX, STORE_PREFIX].map((prefix) => `Disallow: ${app.basePath}${prefix}/`);
    // Download pages are not disallowed: a crawler must be able to request a page to see its noindex header.
    const lines = ['User-agent: *', ...forbidden, '', `Sitemap: ${siteUrlOf(request)}/sitemap.xml`, ''];
    return reply.type('text/plain; charset=utf-8').header('cache-control', 'no-cache').send(lines.join('\n'));
  });
  app.get('/sitemap.xml', (request, reply) => {
    allowIndexing(reply);
    const xml = sitemap(siteUrlOf(request));
    return reply.type('application/xml; charset=utf-8').header('cache-control', 'no-cache').send(xml);
  });
}

function sitemap(siteUrl: string): string {
  const urls = LISTED_SCREENS.flatMap((screen) => {
    const places = [...languages.map((code) => [code, screenPath(screen, code)]), ['x-default', screenPath(screen)]];
    const alternates = places.map(
      ([code, path]) => `<xhtml:link rel="alternate" hreflang="${code}" href="${escapeHtml(`${siteUrl}${path}`)}"/>`,
    );
    return languages.map(
      (code) => `<url><loc>${escapeHtml(siteUrl + screenPath(screen, code))}</loc>${alternates.join('')}</url>`,
    );
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">',
    ...urls,
    '</urlset>',
    '',
  ].join('\n');
}

/** The RFC asks for less than a year. The text is made for each request, so it never expires. */
const VALID_MS = 180 * 24 * 3_600_000;

/**
 * /.well-known/security.txt (RFC 9116): where to report a security problem of this instance. `contact` is an email
 * address or a URL. Without one, the contact page is named.
 */
export function serveSecurityTxt(app: FastifyInstance, contact: string | undefined): void {
  app.get('/.well-known/security.txt', (request, reply) => {
    const siteUrl = siteUrlOf(request);
    const uri = contact?.includes('@') ? `mailto:${contact}` : (contact ?? siteUrl + screenPath({ name: 'contact' }));
    const expires = new Date(nextUtcMidnightMs(app.clock.nowMs()) + VALID_MS).toISOString();
    const lines = [`Contact: ${uri}`, `Expires: ${expires}`];
    // Only a configured origin is certain to be ours: the Host header is the client's.
    if (app.publicOrigin !== undefined) lines.push(`Canonical: ${app.publicOrigin}/.well-known/security.txt`);
    return reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(`${lines.join('\n')}\n`);
  });
}

/** What browsers and the service that lists sites ask for. No other file of the folder is served. */
const WEBCAT_FILES = ['bundle.json', 'bundle-prev.json', 'enrollment.json', 'enrollment-prev.json', 'manifest.json'];

/** Browsers that check pages load the signed files again if this is not the version that they know. */
export async function signedVersion(folder: string): Promise<string | undefined> {
  try {
    const { manifest } = JSON.parse(await readFile(join(folder, 'bundle.json'), 'utf8')) as { manifest?: object };
    const { version } = (manifest ?? {}) as { version?: unknown };
    return typeof version === 'string' && /^[\d.]{1,50}$/u.test(version) ? version : undefined;
  } catch {
    return undefined;
  }
}

/**
 * /.well-known/webcat/: the files that the operator has signed, for browsers that check pages with them. They are read
 * for each request. Only their version, which is in a header of all responses, is read at start.
 */
export function serveWebcat(app: FastifyInstance, folder: string): void {
  for (const name of WEBCAT_FILES)
    app.get(WEBCAT_PREFIX + name, async (request, reply) => {
      const bytes = await readFile(join(folder, name)).catch(() => undefined);
      if (!bytes) return sendJsonError(request, reply, 'NOT_FOUND');
      return reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache').send(bytes);
    });
}
