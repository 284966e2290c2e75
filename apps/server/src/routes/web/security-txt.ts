// /.well-known/security.txt (RFC 9116): where to report a security problem of this instance.
import { screenPath } from '@furoshiki/site';
import type { FastifyInstance } from 'fastify';
import { siteUrlOf } from '../../http/client.ts';
import { nextUtcMidnightMs } from '../../services/utc-day.ts';

/** The RFC asks for less than a year. The text is made for each request, so it never expires. */
const VALID_MS = 180 * 24 * 3_600_000;

/** `contact` is an email address or a URL. Without one, the contact page is named. */
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
