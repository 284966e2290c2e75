// Verifies a server with an installed browser: opens every page, loads every file as pages do, and compares what has arrived. Their
// form is that of a visitor with the same browser. Their order, and what `verify` does not do, such as an upload, can still be recognised.
import { basename } from 'node:path';
import { API_PREFIX } from '@furoshiki/api';
import { FALLBACK_FILE } from '@furoshiki/site';
import { ENCODING, type Kind } from './browser-requests.ts';
import { type Check, checksOf } from './checks.ts';
import { startChromium } from './chromium.ts';
import { fullPath } from './compare.ts';
import { createComparison, type Verification } from './comparison.ts';
import { ABORTED, BrowserError, type DrivenBrowser, type Received } from './driven-browser.ts';
import { startFirefox } from './firefox.ts';
import type { Unreachable } from './get-response.ts';
import type { VerifyOptions } from './verify-site.ts';

export interface BrowserOptions extends Omit<VerifyOptions, 'get' | 'retryPausesMs' | 'encodings'> {
  /** A path, or a name on the PATH. */
  program: string;
}

/** Throws a BrowserError if the browser cannot be started or ends. */
export async function verifyInBrowser(options: BrowserOptions): Promise<Verification | Unreachable> {
  const { signal, program } = options;
  const browser = await (/firefox/iu.test(basename(program)) ? startFirefox : startChromium)(program);
  const stop = () => void browser.discard();
  signal.addEventListener('abort', stop);
  try {
    signal.throwIfAborted();
    const checks = checksIn(options);
    const isHidden = ({ request }: Check) => browser.hidden.includes(request.kind);
    const seen = checks.filter((check) => !isHidden(check));
    const reasons = await visit(browser, options, seen);
    const result = compareAll(options, seen, await browser.end(), reasons);
    const hidden = checks.filter(isHidden).map(({ path }) => path);
    return 'unreachable' in result ? result : { ...result, browser: { name: browser.name, hidden } };
  } catch (thrown) {
    signal.throwIfAborted();
    throw thrown;
  } finally {
    signal.removeEventListener('abort', stop);
    await browser.discard();
  }
}

/** Each address once. */
function checksIn(options: BrowserOptions): Check[] {
  const all = checksOf({ ...options, encodings: [ENCODING] }).filter(
    ({ isData, isSecondVisit }) => !isData && !isSecondVisit,
  );
  const basePath = basePathOf(options);
  return [...new Map(all.toReversed().map((check) => [fullPath({ basePath }, check), check])).values()].toReversed();
}

const basePathOf = ({ siteUrl }: BrowserOptions) => new URL(siteUrl).pathname.replace(/\/$/u, '');

/**
 * Opens all pages as visitors do, then loads what they have not loaded, and opens some of them again. Returns why pages could not be
 * opened, by path.
 */
async function visit(
  browser: DrivenBrowser,
  { siteUrl, languages: [language = ''], signal, onProgress }: BrowserOptions,
  checks: readonly Check[],
): Promise<Map<string, string>> {
  const pages = checks.filter(({ isTemplate }) => isTemplate);
  const again = pages.filter(({ path, file }) => file === FALLBACK_FILE || path.split('/')[1] === language);
  const reasons = new Map<string, string>();
  let done = 0;
  const open = async ({ path }: Check) => {
    try {
      await browser.open(siteUrl + path);
    } catch (thrown) {
      signal.throwIfAborted();
      if (!(thrown instanceof BrowserError)) throw thrown;
      reasons.set(path, thrown.message);
    }
    done += 1;
    onProgress(done, pages.length + again.length);
  };
  for (const page of pages) {
    await open(page);
    // The server cannot be reached.
    if (done === 1 && reasons.size > 0) return reasons;
  }
  const [first, ...others] = again;
  if (first) await open(first);
  await browser.run(loaderOf(siteUrl, checks));
  for (const page of others) await open(page);
  return reasons;
}

function compareAll(
  options: BrowserOptions,
  checks: readonly Check[],
  received: readonly Received[],
  reasons: ReadonlyMap<string, string>,
): Verification | Unreachable {
  const { siteUrl } = options;
  const { origin } = new URL(siteUrl);
  const basePath = basePathOf(options);
  const byPath = new Map(checks.map((check) => [fullPath({ basePath }, check), check]));
  const own = received.flatMap((one) => {
    const url = new URL(one.url);
    const isOwn = url.origin === origin && `${url.pathname}/`.startsWith(`${basePath}/`);
    return isOwn
      ? [{ ...one, check: byPath.get(url.pathname) ?? otherCheck(url.pathname.slice(basePath.length)) }]
      : [];
  });
  const [first] = checks;
  const firstReceived = own.filter((one) => 'response' in one).find(({ check }) => check === first);
  if (!first || !firstReceived) return { unreachable: reasons.get(first?.path ?? '') ?? ABORTED };

  const comparison = createComparison(options, first, firstReceived.response);
  const compared = new Set<Check>();
  for (const one of own) {
    if ('response' in one) {
      compared.add(one.check);
      comparison.add({ ...one.check, isSecondVisit: one.response.status === 304 }, one.response);
    } else if (one.error !== ABORTED) comparison.leaveOut(one.check, one.error);
  }
  for (const check of checks) {
    const reason = reasons.get(check.path) ?? (compared.has(check) ? undefined : ABORTED);
    if (reason !== undefined) comparison.leaveOut(check, reason);
  }
  return comparison.result(checks);
}

/** Of an address that is not in the release. */
function otherCheck(path: string): Check {
  const isData = path.startsWith(`${API_PREFIX}/`) || path.startsWith('/store/');
  const request = { browser: 'chromium', kind: isData ? 'api' : 'document' } as const;
  return {
    path,
    file: isData ? path : FALLBACK_FILE,
    isTemplate: !isData,
    status: undefined,
    isData,
    isSecondVisit: false,
    request,
  };
}

/** How a page loads a file of each kind. Each runs in the page with `url`, and may fail. */
const LOADERS: Partial<Record<Kind, string>> = {
  module: 'import(url)',
  script: 'link(url, { rel: "preload", as: "script", crossOrigin: "" })',
  style: 'link(url, { rel: "stylesheet", crossOrigin: "" })',
  image: 'Object.assign(new Image(), { src: url }).decode()',
  serviceworker:
    'navigator.serviceWorker.register(url, { updateViaCache: "none", scope: url + "/" }).then((one) => one.unregister())',
  worker: `new Promise((resolve) => {
    const worker = new Worker(url, { type: 'module' });
    worker.onerror = resolve;
    const observer = new PerformanceObserver((list) => list.getEntriesByName(url).length > 0 && resolve());
    observer.observe({ type: 'resource', buffered: true });
  })`,
};

function loaderOf(siteUrl: string, checks: readonly Check[]): string {
  const loads = checks
    .filter(({ isTemplate }) => !isTemplate)
    .map(
      ({ path, request }) =>
        `load(${JSON.stringify(siteUrl + path)}, (url) => ${LOADERS[request.kind] ?? 'fetch(url)'})`,
    );
  return `(async () => {
  const load = async (url, how) => { try { await how(url); } catch {} };
  const link = (url, attributes) => new Promise((resolve) => {
    const handlers = { onload: resolve, onerror: resolve };
    document.head.append(Object.assign(document.createElement('link'), attributes, handlers, { href: url }));
  });
  await Promise.all([${loads.join(',\n')}]);
})()`;
}
