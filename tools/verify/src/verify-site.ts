// Verifies a server: requests every address, compares each response, and collects what differs.
import { setTimeout as sleep } from 'node:timers/promises';
import { API_PREFIX } from '@furoshiki/api';
import type { Release } from '@furoshiki/site';
import { runLanes } from '@furoshiki/transfer';
import { headersOf } from './browser-requests.ts';
import { type Check, checksOf } from './checks.ts';
import { fullPath } from './compare.ts';
import { createComparison, type Verification } from './comparison.ts';
import { type GetResponse, type ReceivedResponse, TIMEOUT, type Unreachable, valuesOf } from './get-response.ts';

/** Requests at once. */
export const LANES = 6;
const RETRY_PAUSES_MS = [500, 2000];
/** After so many failures in a row, the rest is not requested. */
const MAX_FAILURES_IN_A_ROW = 10;
const MAX_TOTAL_MS = 10 * 60_000;

export interface VerifyOptions {
  /** Origin and base path, without a slash at the end. */
  siteUrl: string;
  release: Release;
  languages: readonly string[];
  /** Origins that the policy may allow connections to, besides that of the server. */
  connect: readonly string[];
  get: GetResponse;
  randomId: () => string;
  signal: AbortSignal;
  onProgress: (done: number, all: number) => void;
  /** The path of a page that the user has a link to, below the base path. */
  pagePath?: string;
  retryPausesMs?: readonly number[];
  encodings?: readonly string[];
}

/** What a browser keeps of a visit. */
interface Memory {
  cookie: string | undefined;
  /** By path. */
  etags: Map<string, string>;
}

/** If the first request fails, nothing else is requested and the result says why. Throws if it is aborted. */
export async function verifySite(options: VerifyOptions): Promise<Verification | Unreachable> {
  const { signal, onProgress } = options;
  const checks = checksOf(options);
  const memory: Memory = { cookie: undefined, etags: new Map() };
  const [first, ...rest] = checks;
  if (!first) throw new Error('there is nothing to check');
  const firstResponse = await respond(first, options, memory);
  if ('unreachable' in firstResponse) return firstResponse;

  const comparison = createComparison(options, first, firstResponse);
  const { site } = comparison;
  const compare = (check: Check, response: ReceivedResponse) => {
    const [etag] = valuesOf(response, 'etag');
    if (etag !== undefined && check.request.browser === 'chromium') memory.etags.set(check.path, etag);
    comparison.add(check, response);
  };
  compare(first, firstResponse);

  const files = checks.filter(({ isData }) => !isData);
  const addressCount = new Set(files.map((check) => fullPath(site, check))).size;
  const endMs = performance.now() + MAX_TOTAL_MS;
  let done = 1;
  let failuresInARow = 0;
  let lastReason: string = TIMEOUT;
  const run = async (check: Check) => {
    const canGo = failuresInARow < MAX_FAILURES_IN_A_ROW && performance.now() < endMs;
    const response = canGo ? await respond(check, options, memory) : { unreachable: lastReason };
    if ('unreachable' in response) {
      failuresInARow += 1;
      lastReason = response.unreachable;
      comparison.leaveOut(check, lastReason);
    } else {
      failuresInARow = 0;
      compare(check, response);
    }
    done += 1;
    onProgress(Math.floor((done / checks.length) * addressCount), addressCount);
  };
  const isSecond = ({ isSecondVisit }: Check) => isSecondVisit;
  await runLanes(
    LANES,
    rest.filter((check) => !isSecond(check)),
    signal,
    run,
  );
  memory.cookie = await cookieOf(options);
  await runLanes(LANES, rest.filter(isSecond), signal, run);
  return comparison.result(files);
}

/** The cookie that browsers get from their first call of the API. Without one, the second visit is that of a browser that keeps none. */
async function cookieOf({ siteUrl, get, signal }: VerifyOptions): Promise<string | undefined> {
  const { origin } = new URL(siteUrl);
  const headers = headersOf({ browser: 'chromium', kind: 'api', origin });
  const response = await get(`${siteUrl}${API_PREFIX}/config`, headers, signal);
  return 'status' in response ? valuesOf(response, 'set-cookie')[0]?.replace(/;.*$/su, '') : undefined;
}

async function respond(
  { path, request, isSecondVisit }: Check,
  { siteUrl, get, signal, retryPausesMs = RETRY_PAUSES_MS }: VerifyOptions,
  { cookie, etags }: Memory,
): Promise<ReceivedResponse | Unreachable> {
  const { origin } = new URL(siteUrl);
  // One browser has emptied its cache.
  const etag = isSecondVisit && request.browser === 'chromium' ? etags.get(path) : undefined;
  const headers = headersOf({ ...request, origin, ...(isSecondVisit && { cookie, etag }) });
  const attempt = async () => {
    const response = await get(siteUrl + path, headers, signal);
    return 'status' in response && isTemporary(response.status) ? { unreachable: String(response.status) } : response;
  };
  let response = await attempt();
  for (const pauseMs of retryPausesMs) {
    if (!('unreachable' in response) || response.unreachable === TIMEOUT) break;
    await sleep(pauseMs, undefined, { signal });
    response = await attempt();
  }
  return response;
}

/** The server is busy or broken, or a proxy cannot reach it. It says nothing about the file. */
const isTemporary = (status: number) => [408, 425, 429].includes(status) || status >= 500;
