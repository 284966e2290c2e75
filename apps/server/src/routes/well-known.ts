// Files at fixed addresses for programs: robots.txt, sitemap.xml, security.txt and the signed files of WEBCAT.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { API_PREFIX } from '@furoshiki/api';
import { escapeHtml, LISTED_SCREENS, screenPath } from '@furoshiki/site';
import { languages } from '@furoshiki/texts';
import type { FastifyInstance } from 'fastify';
import { siteUrlOf } from '../http/client.ts';
import { sendJsonError } from '../http/error-responses.ts';
import { WEBCAT_PREFIX } from '../http/request-target.ts';
import { allowIndexing } from '../http/security-headers.ts';
import { nextUtcMidnightMs } from '../services/context.ts';
import { STORE_PREFIX } from '../signing.ts';

/**
 * robots.txt and sitemap.xml: the pages that search engines may list, in every language. Download pages are in neither.
 */
export function serveSearchEngines(app: FastifyInstance): void {
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

/**
 * /.well-known/webcat/: the files that the operator has signed, for browsers that check pages with them. They are read
 * for each request, so that new ones need no restart.
 */
export function serveWebcat(app: FastifyInstance, folder: string): void {
  for (const name of WEBCAT_FILES)
    app.get(WEBCAT_PREFIX + name, async (request, reply) => {
      const bytes = await readFile(join(folder, name)).catch(() => undefined);
      if (!bytes) return sendJsonError(request, reply, 'NOT_FOUND');
      return reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache').send(bytes);
    });
}
