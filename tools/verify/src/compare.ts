// Compares one response with the release: its bytes, its type, its policy and its other headers.
import { createHash } from 'node:crypto';
import {
  DATA_HEADERS,
  DATA_POLICY,
  IMPORT_MAP_FILE,
  otherOriginsIn,
  PAGE_HEADERS,
  type Release,
  type SiteAddress,
  templateOf,
} from '@furoshiki/site';
import type { Check } from './checks.ts';
import { type ReceivedResponse, valuesOf } from './get-response.ts';

export interface Site {
  /** The origin and the base path. */
  siteUrl: string;
  /** Empty, or a path such as /files. */
  basePath: string;
  /** What this server writes into its pages. */
  pageAddress: SiteAddress;
  release: Release;
  /** Origins that the policy may allow connections to. */
  allowedOrigins: ReadonlySet<string>;
  /** The policy that every response must have. */
  policy: string;
}

export type What =
  /** `received` is null if the body could not be read. */
  | { kind: 'changed'; expected: string; received: string | null; notes: PageNote[] }
  /** The page is that of the release, but filled in for another address. */
  | { kind: 'address'; address: string }
  | { kind: 'tooLarge' }
  | { kind: 'missing' }
  | { kind: 'status'; status: number; expected: number }
  | { kind: 'redirect'; target: string }
  | { kind: 'type'; type: string; expected: string }
  /** `policies` are those received. `detail` is what was added (+) and left out (-). */
  | { kind: 'policy'; policies: string[]; detail: string }
  | { kind: 'origin'; origin: string }
  /** The release sends no such header, or another value. */
  | { kind: 'header'; name: string; value: string }
  | { kind: 'noHeader'; name: string };

/** The path begins at the root of the origin. */
export type Difference = { path: string; file: string } & What;

const GONE = new Set([404, 410]);
/** What the server sends besides constants, and what proxies add. They change nothing that a browser runs. */
const HARMLESS_HEADERS = new Set([
  'accept-ranges',
  'age',
  'cache-control',
  'connection',
  'content-disposition',
  'content-encoding',
  'content-length',
  'date',
  'etag',
  'expires',
  'keep-alive',
  'last-modified',
  'retry-after',
  'server',
  'strict-transport-security',
  'transfer-encoding',
  'vary',
  'via',
  'x-request-id',
  'x-robots-tag',
  'x-webcat-version',
]);
/** What proxies and content delivery networks add for themselves. Browsers do nothing with them, except for those below. */
const ADDED_HEADERS =
  /^(?:x-|cf-|cdn-|fly-|fastly-|akamai-|surrogate-|(?:cache-status|p3p|pragma|priority|proxy-status|server-timing)$)/u;
const ACTIVE_HEADERS = /^x-(?:sourcemap|xss-protection|content-security-policy|webkit-csp|webcat)/u;
/** Compared by themselves. */
const COMPARED_HEADERS = new Set(['content-security-policy', 'content-type', 'location']);
/** Other ports of the same host, as a proxy offers HTTP/3. */
const OWN_PORTS = /^(?:clear|(?:[\w-]+=":\d+"(?:; *\w+=\d+)*(?:, *)?)+)$/u;
const SCRIPT_TYPES = ['text/javascript', 'application/javascript'];
const DOCUMENT_TYPES = ['text/html', 'application/xhtml+xml', 'text/xml', 'application/xml'];
const OTHER_TYPES: Record<string, string> = {
  json: 'application/json',
  png: 'image/png',
  svg: 'image/svg+xml',
  webmanifest: 'application/manifest+json',
};
const MAX_SHOWN = 300;

export function differencesOf(check: Check, response: ReceivedResponse, site: Site): Difference[] {
  const [path, file] = [fullPath(site, check), check.file];
  return whatDiffers(check, response, site).map((what) => ({ path, file, ...what }));
}

export const fullPath = ({ basePath }: Pick<Site, 'basePath'>, { path }: Check): string => basePath + path || '/';

function whatDiffers(check: Check, response: ReceivedResponse, site: Site): What[] {
  const { status } = response;
  const [target] = valuesOf(response, 'location');
  if (status >= 300 && status < 400 && target !== undefined)
    return [{ kind: 'redirect', target: target.slice(0, MAX_SHOWN) }];
  // The browser shows what it has, which was compared when it came.
  const isUnchanged = status === 304 && check.isSecondVisit;
  if (check.isData)
    return [
      ...policyDifferences(valuesOf(response, 'content-security-policy'), { ...site, policy: DATA_POLICY }),
      ...headerDifferences(check, response),
    ];
  if (check.status !== undefined && status !== check.status && !isUnchanged)
    return [
      GONE.has(status) && check.status === 200
        ? { kind: 'missing' }
        : { kind: 'status', status, expected: check.status },
    ];
  return [
    ...(isUnchanged ? [] : [...bodyDifferences(check, response, site), ...typeDifferences(check, response)]),
    ...policyDifferences(valuesOf(response, 'content-security-policy'), site),
    ...headerDifferences(check, response),
  ];
}

function bodyDifferences({ file, isTemplate }: Check, { body }: ReceivedResponse, site: Site): What[] {
  const expected = site.release.files[file] ?? '';
  if (body === 'tooLarge') return [{ kind: 'tooLarge' }];
  if (body === 'unreadable') return [{ kind: 'changed', expected, received: null, notes: [] }];
  if (!isTemplate) {
    const received = sha256(body);
    return received === expected ? [] : [{ kind: 'changed', expected, received, notes: [] }];
  }
  const page = textOf(body);
  if (isPage(page, site.pageAddress, expected)) return [];
  const other = page === undefined ? undefined : addressIn(page);
  if (other && isPage(page, other, expected)) return [{ kind: 'address', address: other.siteUrl || '/' }];
  const notes = page === undefined ? [] : notesOn(page, site);
  return [{ kind: 'changed', expected, received: sha256(body), notes }];
}

function isPage(page: string | undefined, address: SiteAddress, expected: string): boolean {
  const template = page === undefined ? undefined : templateOf(page, address);
  return template !== undefined && sha256(template) === expected;
}

/** Pages name no server, or all of them name this one: for full link previews. */
export function pageAddressIn(
  { file }: Check,
  { body }: ReceivedResponse,
  site: Omit<Site, 'pageAddress'>,
): SiteAddress {
  const { siteUrl, basePath } = site;
  const full = { siteUrl, basePath };
  const page = typeof body === 'string' ? undefined : textOf(body);
  return isPage(page, full, site.release.files[file] ?? '') ? full : { siteUrl: basePath, basePath };
}

/** Undefined if it is not UTF-8. Keeps a byte order mark, because it is a difference. */
function textOf(body: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

/** The address that a server has filled in. Only explains a difference. */
function addressIn(page: string): SiteAddress | undefined {
  const [, basePath] = /<base href="([^"<]{0,200})\/" \/>/u.exec(page) ?? [];
  const [, siteUrl] = /"(|\/[^"<]{1,300}|https?:[^"<]{1,300})\/social\/[\w-]+\.png"/u.exec(page) ?? [];
  return basePath === undefined || siteUrl === undefined ? undefined : { siteUrl, basePath };
}

function typeDifferences({ file, isTemplate }: Check, response: ReceivedResponse): What[] {
  const types = valuesOf(response, 'content-type');
  const type = types.join(', ');
  const [essence = '', ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  const wrong = (expected: string): What[] => [{ kind: 'type', type: type.slice(0, MAX_SHOWN), expected }];
  const isUtf8 = parameters.length === 1 && /^charset="?utf-8"?$/u.test(parameters[0] ?? '');
  // With another character set, the same bytes are another page.
  if (isTemplate) return essence === 'text/html' && isUtf8 ? [] : wrong('text/html; charset=utf-8');
  const isText = isUtf8 || parameters.length === 0;
  if (file.endsWith('.js')) return SCRIPT_TYPES.includes(essence) && isText ? [] : wrong('text/javascript');
  if (file.endsWith('.css')) return essence === 'text/css' && isText ? [] : wrong('text/css');
  const isActive = [...DOCUMENT_TYPES, ...SCRIPT_TYPES].includes(essence);
  return isActive ? wrong(OTHER_TYPES[file.replace(/^.*\./su, '')] ?? 'application/octet-stream') : [];
}

function policyDifferences(policies: string[], { policy, allowedOrigins, release }: Site): What[] {
  const [received = ''] = policies;
  if (policies.length !== 1 || received !== policy)
    return [{ kind: 'policy', policies, detail: policyDetail(received, policy) }];
  const origins = otherOriginsIn(received, release) ?? [];
  return origins.filter((origin) => !allowedOrigins.has(origin)).map((origin) => ({ kind: 'origin', origin }));
}

function headerDifferences({ isData }: Check, response: ReceivedResponse): What[] {
  const expected = isData ? DATA_HEADERS : PAGE_HEADERS;
  const missing = Object.keys(expected).filter((name) => valuesOf(response, name).length === 0);
  const isRight = (name: string, value: string) => {
    if (Object.hasOwn(expected, name)) return value === expected[name] && valuesOf(response, name).length === 1;
    if (name === 'alt-svc') return OWN_PORTS.test(value);
    // The API gives each browser its cookie. Pages and files set none.
    return (
      HARMLESS_HEADERS.has(name) || isAdded(name) || COMPARED_HEADERS.has(name) || (isData && name === 'set-cookie')
    );
  };
  const wrong = response.headers.filter(([name, value]) => !isRight(name, value));
  return [
    ...missing.map((name) => ({ kind: 'noHeader' as const, name })),
    ...wrong.map(([name, value]) => ({ kind: 'header' as const, name, value: value.slice(0, MAX_SHOWN) })),
  ];
}

const isAdded = (name: string) =>
  ADDED_HEADERS.test(name) &&
  !ACTIVE_HEADERS.test(name) &&
  !HARMLESS_HEADERS.has(name) &&
  !Object.hasOwn(PAGE_HEADERS, name);

/** Names the headers of a response that neither the release sends nor any browser uses. */
export function addedHeaders({ headers }: ReceivedResponse): string[] {
  return headers.map(([name]) => name).filter(isAdded);
}

function policyDetail(received: string, expected: string): string {
  const [has, needs] = [received.split(';'), expected.split(';')];
  const added = has.filter((directive) => !needs.includes(directive)).map((directive) => `+${directive.trim()}`);
  const left = needs.filter((directive) => !has.includes(directive)).map((directive) => `-${directive}`);
  return [...added, ...left].join('; ').slice(0, MAX_SHOWN);
}

function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export type PageNote = { note: 'loads' | 'base'; url: string } | { note: 'inlineScript' };

const MAX_NOTES = 10;
const MAX_PAGE_LENGTH = 1_000_000;
const MAX_TAG_LENGTH = 2000;
const NAMES = /^(script|link|base)(?=[\s/>])/iu;
const LOADED_LINKS = /^(?:stylesheet|modulepreload|preload)$/iu;
/** Other types are data. */
const SCRIPT_TYPE = /^(?:|module|importmap|speculationrules|.*(?:java|ecma|j)script.*)$/iu;

export function notesOn(
  page: string,
  { siteUrl, basePath, release }: Pick<Site, 'siteUrl' | 'basePath' | 'release'>,
): PageNote[] {
  const notes = new Map<string, PageNote>();
  const add = (note: PageNote) => notes.size < MAX_NOTES && notes.set(JSON.stringify(note), note);
  const base = `${basePath}/`;
  const addLoaded = (source: string) => {
    const url = URL.canParse(source, `${siteUrl}/`) ? new URL(source, `${siteUrl}/`) : undefined;
    const isOwn = url !== undefined && url.origin === new URL(siteUrl).origin;
    const file = isOwn && url.pathname.startsWith(base) ? url.pathname.slice(base.length) : '';
    if (!Object.hasOwn(release.files, file))
      add({ note: 'loads', url: (isOwn ? url.pathname + url.search : source).slice(0, MAX_SHOWN) });
  };
  const isImportMap = (text: string) => sha256(text) === release.files[IMPORT_MAP_FILE];
  for (const piece of page.slice(0, MAX_PAGE_LENGTH).split('<').slice(1)) {
    const [, name] = NAMES.exec(piece) ?? [];
    if (name === undefined) continue;
    const [tag = ''] = piece.slice(0, MAX_TAG_LENGTH).split('>', 1);
    const attribute = attributesOf(tag);
    switch (name.toLowerCase()) {
      case 'script': {
        const source = attribute('src');
        if (source !== undefined) addLoaded(source);
        else if (SCRIPT_TYPE.test(attribute('type') ?? '') && !isImportMap(piece.slice(tag.length + 1)))
          add({ note: 'inlineScript' });
        break;
      }
      case 'link':
        if ((attribute('rel') ?? '').split(/\s+/u).some((rel) => LOADED_LINKS.test(rel)))
          addLoaded(attribute('href') ?? '');
        break;
      case 'base': {
        const url = attribute('href');
        if (url !== undefined && url !== base) add({ note: 'base', url: url.slice(0, MAX_SHOWN) });
        break;
      }
    }
  }
  return [...notes.values()];
}

function attributesOf(tag: string): (name: string) => string | undefined {
  const found = new Map<string, string>();
  // Browsers take the first one of two with the same name.
  for (const [, name = '', double, single, bare] of tag.matchAll(
    /(?<![\w-])([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))/gu,
  ))
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), double ?? single ?? bare ?? '');
  return (name) => found.get(name);
}
