// The requests that verify a server: one for each address of the release, and samples of addresses that have no page of
// their own and must all get the fallback page.
import { downloadPath, FALLBACK_FILE, type Release, screenPath, servedFiles } from '@furoshiki/site';

export interface Check {
  /** Below the base path of the server. Empty for the base path itself, without a slash. */
  path: string;
  /** The file of the release that must be there. */
  file: string;
  /** Whether the server fills in its address. */
  isTemplate: boolean;
  status: 200 | 404;
  headers: Record<string, string>;
}

/** A server that changes pages for some visitors only may look at these. It can still know us by other means. */
const BROWSER = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'sec-fetch-site': 'same-origin',
};
const DOCUMENT = {
  ...BROWSER,
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'none',
  'upgrade-insecure-requests': '1',
};
const DESTINATIONS: readonly [ending: RegExp, destination: string, accept: string][] = [
  [/worker[^/]*\.js$/u, 'worker', '*/*'],
  [/\.js$/u, 'script', '*/*'],
  [/\.css$/u, 'style', 'text/css,*/*;q=0.1'],
  [/\.(?:png|svg)$/u, 'image', 'image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5'],
  [/\.webmanifest$/u, 'manifest', '*/*'],
];
/** A build has each text three times: as it is, and compressed in two ways. Proxies and old browsers get the others. */
export const ENCODINGS: readonly string[] = ['gzip, deflate, br', 'gzip, deflate', 'identity'];
const IS_COMPRESSED = /\.(?:html|js|css|json|svg|webmanifest)$/u;
const ACCEPTED_LANGUAGES = ['en-US,en;q=0.5', 'ja,de;q=0.7,zh-TW;q=0.3'] as const;

/** `randomId` returns another id of a page each time. */
export function checksOf(
  release: Release,
  languages: readonly string[],
  randomId: () => string,
  encodings: readonly string[] = ENCODINGS,
): Check[] {
  const files = servedFiles(release, languages).flatMap((served) =>
    encodings.slice(0, IS_COMPRESSED.test(served.file) ? encodings.length : 1).map(
      (encoding): Check => ({
        ...served,
        status: 200,
        headers: { ...headersFor(served.file, served.isTemplate), 'accept-encoding': encoding },
      }),
    ),
  );
  return [...samplesOf(languages, randomId), ...files];
}

function samplesOf(languages: readonly string[], randomId: () => string): Check[] {
  const samples: [path: string, status: Check['status']][] = [
    [screenPath({ name: 'home' }), 200],
    ['', 200],
    [screenPath({ name: 'content', page: 'faq' }), 200],
    [screenPath({ name: 'download', pageId: '' }), 200],
    ...languages.map((language): [string, 200] => [downloadPath(language, randomId()), 200]),
    [`/${randomId()}`, 404],
  ];
  return samples.flatMap(([path, status]) =>
    ACCEPTED_LANGUAGES.map((accepted) => ({
      path,
      file: FALLBACK_FILE,
      isTemplate: true,
      status,
      headers: { ...DOCUMENT, 'accept-language': accepted, 'accept-encoding': ENCODINGS[0] ?? '' },
    })),
  );
}

function headersFor(file: string, isTemplate: boolean): Record<string, string> {
  const language = { 'accept-language': ACCEPTED_LANGUAGES[0] };
  if (isTemplate) return { ...DOCUMENT, ...language };
  const [, destination = 'empty', accept = '*/*'] = DESTINATIONS.find(([ending]) => ending.test(file)) ?? [];
  const mode = destination === 'empty' || destination === 'manifest' ? 'cors' : 'no-cors';
  return { ...BROWSER, ...language, accept, 'sec-fetch-dest': destination, 'sec-fetch-mode': mode };
}
