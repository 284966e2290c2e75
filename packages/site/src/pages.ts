// The prerendered pages: which page an address shows, and what a server that is not at a root, or wants full link previews, writes into a page.
import { isListed, parsePath, screenKey, screenPath } from './site-map.ts';

/** The page of every address that has no page of its own. It finds the language and the screen from the address. */
export const FALLBACK_PAGE = 'fallback';
/** The page of /api/docs. */
export const API_DOCS_PAGE = 'api-docs';
/** The folder of the pages of /api/legal-notice, which a server fills in with its settings. They are no pages of the app. */
export const LEGAL_NOTICE_FOLDER = 'legal-notice';

/** Where the system of a phone sends files that another app shares. The service worker receives them, and no server. */
export const SHARE_PATH = '/shared';
/** The field of the form that holds them. */
export const SHARED_FIELD = 'files';
/** The fragment of home when files were shared, followed by the id under which the service worker keeps them. */
export const SHARED_FRAGMENT = '#shared=';

/** The build writes it into the pages, and a server below another path replaces it. */
export const BASE_PLACEHOLDER = '<base href="/" />';

export interface SiteAddress {
  /** What addresses in the head begin with: the base path or, for full link previews, the origin and the base path. */
  siteUrl: string;
  /** Empty, or a path such as /files. */
  basePath: string;
}

/** How a server at a root serves the pages: as they were built. One manifest is then valid for every such server. */
export const AS_BUILT: SiteAddress = { siteUrl: '', basePath: '' };

/**
 * Returns the name of the page at a path, such as `en/faq`. Only this exact path has it: a deployment manifest lists
 * paths one by one, and browsers that enforce it expect the fallback page at all others.
 */
export function pageAt(path: string, languages: readonly string[]): string {
  const { language, screen } = parsePath(path, languages);
  const isExact = language !== undefined && isListed(screen) && screenPath(screen, language) === path;
  return isExact ? `${language}/${screenKey(screen)}` : FALLBACK_PAGE;
}

/** A tag of the head that belongs to one page (see head.ts in the web app), with its text. None has a line break. */
const PAGE_TAG = /^ *<\w+ data-page="".*$/gmu;
/** Addresses of the site in these tags begin with a slash: in attributes, and in structured data. */
const OWN_ADDRESS = /(?<=(?: (?:href|content)=|"(?:url|@id)":)")\//gu;

export function fillPage(template: string, { siteUrl, basePath }: SiteAddress): string {
  const start = `${escapeHtml(siteUrl)}/`;
  return template
    .replace(BASE_PLACEHOLDER, () => baseElement(basePath))
    .replaceAll(PAGE_TAG, (tag) => tag.replaceAll(OWN_ADDRESS, () => start));
}

/** Returns the template of a page that a server has filled in, or undefined if it is not exactly what a server fills in. */
export function templateOf(page: string, address: SiteAddress): string | undefined {
  const start = `"${escapeHtml(address.siteUrl)}/`;
  const template = page
    .replace(baseElement(address.basePath), () => BASE_PLACEHOLDER)
    .replaceAll(PAGE_TAG, (tag) => tag.replaceAll(start, () => '"/'));
  return fillPage(template, address) === page ? template : undefined;
}

const baseElement = (basePath: string) => `<base href="${escapeHtml(basePath)}/" />`;

/** Escapes text for the content of an element, or for an attribute in double quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
