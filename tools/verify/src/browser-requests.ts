// The requests that browsers send for the files of the site, header by header: names in their case and order, and values. They
// make the requests of `verify` look the same. e2e/cli/browser-requests.spec.ts records the installed browsers and compares.

export const BROWSERS = ['chromium', 'firefox'] as const;
export type BrowserName = (typeof BROWSERS)[number];

/** What a request is for. `text` is a file that a page preloads, `cached` one that it keeps for offline reading. */
export type Kind =
  | 'document'
  | 'script'
  | 'module'
  | 'style'
  | 'image'
  | 'manifest'
  | 'worker'
  | 'serviceworker'
  | 'text'
  | 'cached'
  | 'api';

export interface BrowserRequest {
  browser: BrowserName;
  kind: Kind;
  /** Of the page that sends it. */
  origin: string;
  /** Browsers of people who were here before have one, and a service worker that controls the page. */
  cookie?: string | undefined;
  /** What the browser has in its cache. */
  etag?: string | undefined;
  language?: string | undefined;
  encoding?: string | undefined;
}

const CHROMIUM = {
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  brands: '"Not:A-Brand";v="8", "Chromium";v="156"',
  document:
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/jxl,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
  image: 'image/jxl,image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
};
const FIREFOX = {
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0',
  document: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  image: 'image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5',
};
const STYLE = 'text/css,*/*;q=0.1';
const LANGUAGE = 'en-US,en;q=0.9';
export const ENCODING = 'gzip, deflate, br, zstd';

const DESTINATIONS: Record<Kind, [mode: string, destination: string]> = {
  document: ['navigate', 'document'],
  script: ['cors', 'script'],
  module: ['cors', 'script'],
  style: ['cors', 'style'],
  image: ['no-cors', 'image'],
  manifest: ['cors', 'manifest'],
  worker: ['same-origin', 'worker'],
  serviceworker: ['same-origin', 'serviceworker'],
  text: ['cors', 'empty'],
  cached: ['cors', 'empty'],
  api: ['cors', 'empty'],
};
const FIREFOX_PRIORITIES: Record<Kind, string> = {
  document: 'u=0, i',
  script: 'u=2',
  module: 'u=1',
  style: 'u=2',
  image: 'u=5, i',
  manifest: 'u=5',
  worker: 'u=4',
  serviceworker: 'u=4',
  text: 'u=4',
  cached: 'u=5',
  api: 'u=4',
};

const CHROMIUM_PRIORITIES: Record<Kind, string> = {
  document: 'u=0, i',
  script: 'u=1',
  module: 'u=1',
  style: 'u=0',
  image: 'i',
  manifest: 'u=2',
  worker: 'u=4, i',
  serviceworker: 'u=4, i',
  text: 'i',
  cached: 'i',
  api: 'u=1, i',
};

type Headers = Record<string, string>;
/** In this case, only HTTP/2 has them. */
const ONLY_HTTP_2 = new Set(['priority', 'te']);
/** In HTTP/2, `:authority` is the host, and connections have no header. */
const ONLY_HTTP_1 = new Set(['Host', 'Connection']);
/** Names of parts of the address, which are the first headers of HTTP/2, in the order of each browser. */
const PARTS: Record<BrowserName, readonly string[]> = {
  chromium: [':method', ':authority', ':scheme', ':path'],
  firefox: [':method', ':path', ':authority', ':scheme'],
};
const optional = (name: string, value: string | undefined): Headers => (value === undefined ? {} : { [name]: value });

/** Of both versions of HTTP. `http1Headers` and `http2Headers` choose. */
export function headersOf(request: BrowserRequest): Headers {
  const isChromium = request.browser === 'chromium';
  const headers = isChromium
    ? { ...chromiumHeaders(request), priority: CHROMIUM_PRIORITIES[request.kind] }
    : { ...firefoxHeaders(request), te: 'trailers' };
  return isTrustworthy(request.origin) ? headers : plainHeaders(headers, request.encoding);
}

export function http1Headers(headers: Headers, { host }: URL): Headers {
  const lines = Object.entries(headers).filter(([name]) => !ONLY_HTTP_2.has(name));
  return { Host: host, ...Object.fromEntries(lines) };
}

export function http2Headers(headers: Headers, { host, pathname, search }: URL): Headers {
  const values = { ':method': 'GET', ':authority': host, ':scheme': 'https', ':path': pathname + search };
  const parts = PARTS['te' in headers ? 'firefox' : 'chromium'].map((name) => [
    name,
    values[name as keyof typeof values],
  ]);
  const lines = Object.entries(headers).filter(([name]) => !ONLY_HTTP_1.has(name));
  return Object.fromEntries([...parts, ...lines.map(([name, value]) => [name.toLowerCase(), value])]);
}

function chromiumHeaders({ kind, origin, cookie, etag, language, encoding }: BrowserRequest): Headers {
  const [mode, destination] = DESTINATIONS[kind];
  const fetchMetadata = {
    'Sec-Fetch-Site': kind === 'document' ? 'none' : 'same-origin',
    'Sec-Fetch-Mode': mode,
    ...(kind === 'document' && { 'Sec-Fetch-User': '?1' }),
    'Sec-Fetch-Dest': destination,
  };
  const userAgent = { 'User-Agent': CHROMIUM.userAgent };
  const [brands, mobile] = [{ 'sec-ch-ua': CHROMIUM.brands }, { 'sec-ch-ua-mobile': '?0' }];
  const platform = { 'sec-ch-ua-platform': '"Linux"' };
  const accepted = { 'Accept-Encoding': encoding ?? ENCODING, 'Accept-Language': language ?? LANGUAGE };
  const known = { ...optional('Cookie', cookie), ...optional('If-None-Match', etag) };
  const connection = { Connection: 'keep-alive' };
  switch (kind) {
    case 'document':
      return {
        ...connection,
        ...brands,
        ...mobile,
        ...platform,
        'Upgrade-Insecure-Requests': '1',
        ...userAgent,
        Accept: CHROMIUM.document,
        ...fetchMetadata,
        ...accepted,
        ...known,
      };
    case 'worker':
    case 'serviceworker':
      return {
        ...connection,
        ...(kind === 'serviceworker' && { 'Cache-Control': 'max-age=0' }),
        Accept: '*/*',
        ...(kind === 'serviceworker' && { 'Service-Worker': 'script' }),
        ...fetchMetadata,
        ...userAgent,
        ...accepted,
        ...known,
      };
    case 'api':
      return {
        ...connection,
        ...platform,
        'accept-language': 'en',
        accept: 'application/json',
        ...brands,
        'content-type': 'application/json',
        ...mobile,
        ...userAgent,
        ...fetchMetadata,
        'Accept-Encoding': encoding ?? ENCODING,
        ...optional('Cookie', cookie),
      };
    default:
      return {
        ...connection,
        ...(['script', 'module', 'style', 'text'].includes(kind) && { Origin: origin }),
        ...platform,
        ...userAgent,
        ...brands,
        ...mobile,
        Accept: kind === 'style' ? STYLE : kind === 'image' ? CHROMIUM.image : '*/*',
        ...fetchMetadata,
        ...accepted,
        // A manifest is loaded without credentials.
        ...(kind === 'manifest' ? optional('If-None-Match', etag) : known),
      };
  }
}

function firefoxHeaders({ kind, cookie, etag, language, encoding }: BrowserRequest): Headers {
  const [mode, destination] = DESTINATIONS[kind];
  const accept = { document: FIREFOX.document, style: STYLE, image: FIREFOX.image, api: 'application/json' };
  const fetchMetadata = {
    ...(kind === 'document' && { 'Upgrade-Insecure-Requests': '1' }),
    'Sec-Fetch-Dest': destination,
    'Sec-Fetch-Mode': mode,
    'Sec-Fetch-Site': kind === 'document' ? 'none' : 'same-origin',
    ...(kind === 'document' && { 'Sec-Fetch-User': '?1' }),
  };
  const connection = { Connection: 'keep-alive', ...optional('Cookie', cookie) };
  // Requests that a service worker has seen before have another order.
  const isControlled = cookie !== undefined && kind !== 'serviceworker' && kind !== 'worker';
  return {
    'User-Agent': FIREFOX.userAgent,
    Accept: accept[kind as keyof typeof accept] ?? '*/*',
    'Accept-Language': kind === 'api' ? 'en' : (language ?? LANGUAGE),
    'Accept-Encoding': encoding ?? ENCODING,
    ...(kind === 'serviceworker' && { 'Service-Worker': 'script' }),
    ...(kind === 'api' && { 'content-type': 'application/json' }),
    ...(isControlled ? { ...fetchMetadata, ...connection } : { ...connection, ...fetchMetadata }),
    ...optional('If-None-Match', etag),
    Priority: FIREFOX_PRIORITIES[kind],
    ...(kind === 'serviceworker' && { Pragma: 'no-cache', 'Cache-Control': 'no-cache' }),
  };
}

function isTrustworthy(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'https:' || /^(?:localhost|127\.[\d.]+|\[::1\])$/u.test(hostname);
}

/** Over plain HTTP, browsers say less about themselves, and accept only the encodings that old proxies know. */
function plainHeaders(headers: Headers, encoding: string | undefined): Headers {
  const shown = Object.entries(headers).filter(([name]) => !/^sec-/iu.test(name));
  return { ...Object.fromEntries(shown), 'Accept-Encoding': encoding ?? 'gzip, deflate' };
}
