// The prerendered pages: which page an address shows, and how a server writes its own address into a page.
import { isListed, parsePath, screenKey, screenPath } from './site-map.ts';

/** The page of every address that has no page of its own. It finds the language and the screen from the address. */
export const FALLBACK_PAGE = 'fallback';
/** The page of /api/docs. */
export const API_DOCS_PAGE = 'api-docs';

/** The build writes these into the pages, and the server replaces them. */
export const SITE_URL_PLACEHOLDER = 'https://site.invalid';
export const BASE_PLACEHOLDER = '<base href="/" />';

export interface SiteAddress {
  /** The origin and the base path. */
  siteUrl: string;
  /** Empty, or a path such as /files. */
  basePath: string;
}

/**
 * Returns the name of the page at a path, such as `en/faq`. Only this exact path has it: a deployment manifest lists
 * paths one by one, and browsers that enforce it expect the fallback page at all others.
 */
export function pageAt(path: string, languages: readonly string[]): string {
  const { language, screen } = parsePath(path, languages);
  const isExact = language !== undefined && isListed(screen) && screenPath(screen, language) === path;
  return isExact ? `${language}/${screenKey(screen)}` : FALLBACK_PAGE;
}

export function fillPage(template: string, { siteUrl, basePath }: SiteAddress): string {
  return template
    .replace(BASE_PLACEHOLDER, () => baseElement(basePath))
    .replaceAll(SITE_URL_PLACEHOLDER, () => escapeHtml(siteUrl));
}

/** Returns the template of a page that a server has filled in, or undefined if it is not exactly what a server fills in. */
export function templateOf(page: string, address: SiteAddress): string | undefined {
  const template = page
    .replace(baseElement(address.basePath), () => BASE_PLACEHOLDER)
    .replaceAll(escapeHtml(address.siteUrl), () => SITE_URL_PLACEHOLDER);
  return fillPage(template, address) === page ? template : undefined;
}

const baseElement = (basePath: string) => `<base href="${escapeHtml(basePath)}/" />`;

/** Escapes text for the content of an element, or for an attribute in double quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
