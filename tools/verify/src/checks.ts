// The requests that verify a server: those that browsers send for each address of the release, and for samples of addresses that
// have no page of their own and must all get the fallback page.
import { downloadPath, FALLBACK_FILE, type Release, screenPath, type ServedFile, servedFiles } from '@furoshiki/site';
import { API_PREFIX } from '@furoshiki/api';
import { BROWSERS, type BrowserRequest, ENCODING, type Kind } from './browser-requests.ts';

export interface Check {
  /** Below the base path of the server. Empty for the base path itself, without a slash. */
  path: string;
  /** The file of the release that must be there. */
  file: string;
  /** Whether the server fills in its address. */
  isTemplate: boolean;
  /** Undefined if any will do. */
  status: 200 | 404 | undefined;
  /** A response of the API or of the store: only its headers are compared. */
  isData: boolean;
  request: Pick<BrowserRequest, 'browser' | 'kind' | 'language' | 'encoding'>;
  /** With the cookie of an earlier visit, and with the ETag that came with it. */
  isSecondVisit: boolean;
}

const KINDS: readonly [file: RegExp, kind: Kind][] = [
  [/^(?:save\.worker|bystander)\.js$/u, 'serviceworker'],
  [/\.worker-[^/]*\.js$/u, 'worker'],
  [/^assets\/.*\.js$/u, 'module'],
  [/\.js$/u, 'script'],
  [/\.css$/u, 'style'],
  [/\.(?:png|svg)$/u, 'image'],
  [/\.webmanifest$/u, 'manifest'],
  [/^assets\/.*\.json$/u, 'text'],
];
/**
 * A build has each text three times: as it is, and compressed in two ways. Browsers get the first of these. Proxies and old browsers
 * get the others.
 */
export const ENCODINGS: readonly string[] = [ENCODING, 'gzip, deflate', 'identity'];
const IS_COMPRESSED = /\.(?:html|js|css|json|svg|webmanifest)$/u;
const ACCEPTED_LANGUAGES = ['en-US,en;q=0.9', 'ja,de;q=0.7,zh-TW;q=0.3'] as const;

export interface ChecksOptions {
  release: Release;
  languages: readonly string[];
  /** Returns another id of a page each time. */
  randomId: () => string;
  /** The path of a page that the user has a link to. */
  pagePath?: string | undefined;
  encodings?: readonly string[] | undefined;
}

/** First visits come first: what a second visit sends depends on them. */
export function checksOf(options: ChecksOptions): Check[] {
  const { release, languages, encodings = ENCODINGS } = options;
  const [first, ...others] = encodings;
  const files = servedFiles(release, languages).flatMap((served): Check[] => [
    ...BROWSERS.map((browser) => ({ ...checkOf(served), request: { browser, kind: kindOf(served), encoding: first } })),
    ...(IS_COMPRESSED.test(served.file) ? others : []).map((encoding) => ({
      ...checkOf(served),
      request: { browser: 'firefox' as const, kind: kindOf(served), encoding },
    })),
  ]);
  const visits = [...samplesOf(options), ...files];
  const again = visits.filter(({ request }) => request.encoding === first);
  return [...visits, ...dataChecks(options.randomId), ...again.map((check) => ({ ...check, isSecondVisit: true }))];
}

const checkOf = (served: ServedFile) => ({ ...served, status: 200 as const, isData: false, isSecondVisit: false });

function kindOf({ file, isTemplate }: ServedFile): Kind {
  if (isTemplate) return 'document';
  return KINDS.find(([pattern]) => pattern.test(file))?.[1] ?? 'cached';
}

function samplesOf({ languages, randomId, pagePath, encodings = ENCODINGS }: ChecksOptions): Check[] {
  const samples: [path: string, status: Check['status']][] = [
    [screenPath({ name: 'home' }), 200],
    ['', 200],
    ...(pagePath === undefined ? [] : [[pagePath, 200] as [string, 200]]),
    [screenPath({ name: 'content', page: 'faq' }), 200],
    [screenPath({ name: 'download', pageId: '' }), 200],
    ...languages.map((language): [string, 200] => [downloadPath(language, randomId()), 200]),
    [`/${randomId()}`, 404],
  ];
  return samples.flatMap(([path, status]) =>
    ACCEPTED_LANGUAGES.map((language, index) => ({
      path,
      file: FALLBACK_FILE,
      isTemplate: true,
      status,
      isData: false,
      isSecondVisit: false,
      request: { browser: BROWSERS[index] ?? 'firefox', kind: 'document' as const, language, encoding: encodings[0] },
    })),
  );
}

/** A page that runs in the place of data could read what the site stores. */
function dataChecks(randomId: () => string): Check[] {
  const paths = [`${API_PREFIX}/config`, `${API_PREFIX}/${randomId()}`, `/store/${randomId()}`];
  return paths.flatMap((path) =>
    BROWSERS.map((browser) => ({
      path,
      file: path,
      isTemplate: false,
      status: undefined,
      isData: true,
      isSecondVisit: false,
      request: { browser, kind: 'api' as const },
    })),
  );
}
