// robots.txt and sitemap.xml: the pages that search engines may list, in every language. Download pages are in neither.
import { API_PREFIX } from '@furoshiki/api';
import { escapeHtml, LISTED_SCREENS, screenPath } from '@furoshiki/site';
import { languages } from '@furoshiki/texts';
import type { FastifyInstance } from 'fastify';
import { siteUrlOf } from '../../http/client.ts';
import { allowIndexing } from '../../http/security-headers.ts';
import { STORE_PREFIX } from '../../signed-paths.ts';

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
