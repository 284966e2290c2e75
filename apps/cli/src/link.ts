// Takes a download link apart: the server's address, the id of the page, and the key if the link contains it.
import { idSchema } from '@furoshiki/api';
import { splitKeyFromLink } from '@furoshiki/format';
import { screenPath } from '@furoshiki/site';
import { languages } from '@furoshiki/texts';
import { CliError, EXIT } from './errors.ts';

export interface PageLink {
  /** Origin and base path, without a slash at the end. */
  siteUrl: string;
  pageId: string;
  keyText: string | undefined;
}

export function parseLink(text: string): PageLink {
  // URL ignores these anywhere. A mail program may have broken the link, also within `#key=`: the key must be found first.
  const { link, keyText } = splitKeyFromLink(text.replaceAll(/[\t\n\r]/gu, '').trim());
  const url = URL.canParse(link) ? new URL(link) : undefined;
  const segments = url?.pathname.split('/').filter((segment) => segment !== '') ?? [];
  const at = segments.lastIndexOf('download');
  const pageId = segments[at + 1] ?? '';
  if (!url || !/^https?:$/u.test(url.protocol) || at !== segments.length - 2 || !idSchema.safeParse(pageId).success)
    throw new CliError('link.invalid', {}, EXIT.usage);
  const before = segments.slice(0, at);
  const isLanguage = languages.some((code) => code.toLowerCase() === before.at(-1)?.toLowerCase());
  return { siteUrl: siteUrlOf(url.origin, isLanguage ? before.slice(0, -1) : before), pageId, keyText };
}

/** Returns the address of a server as it is stored and compared. */
export function parseServer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/u.test(url.protocol)) throw new CliError('server.invalid', {}, EXIT.usage);
  return siteUrlOf(
    url.origin,
    url.pathname.split('/').filter((segment) => segment !== ''),
  );
}

/** Without a language, so that the recipient's own is used. */
export const linkOf = (siteUrl: string, pageId: string): string => siteUrl + screenPath({ name: 'download', pageId });

function siteUrlOf(origin: string, base: readonly string[]): string {
  return [origin, ...base].join('/');
}
