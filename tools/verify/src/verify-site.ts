// Verifies a server: requests every address, compares each response, and collects what differs.
import { setTimeout as sleep } from 'node:timers/promises';
import { otherOriginsIn, pagePolicy, type Release } from '@furoshiki/site';
import { runLanes } from '@furoshiki/transfer';
import { type Check, checksOf } from './checks.ts';
import { type Difference, differencesOf, fullPath, type Site } from './compare.ts';
import { type GetResponse, type ReceivedResponse, TIMEOUT, type Unreachable, valuesOf } from './get-response.ts';

/** Requests at once. */
export const LANES = 6;
const RETRY_PAUSES_MS = [500, 2000];
/** After so many failures in a row, the rest is not requested. */
const MAX_FAILURES_IN_A_ROW = 10;
const MAX_TOTAL_MS = 10 * 60_000;

export interface Verification {
  /** The number of files of the release that the server must serve. */
  fileCount: number;
  addressCount: number;
  differences: Difference[];
  /** What could not be requested. */
  unchecked: { path: string; file: string; reason: string }[];
}

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
  retryPausesMs?: readonly number[];
  encodings?: readonly string[];
}

/** If the first request fails, nothing else is requested and the result says why. Throws if it is aborted. */
export async function verifySite(options: VerifyOptions): Promise<Verification | Unreachable> {
  const { siteUrl, release, connect, signal, onProgress } = options;
  const checks = checksOf(release, options.languages, options.randomId, options.encodings);
  const [first, ...rest] = checks;
  if (!first) throw new Error('there is nothing to check');
  const firstResponse = await respond(first, options);
  if ('unreachable' in firstResponse) return firstResponse;

  const { origin, pathname } = new URL(siteUrl);
  const site: Site = {
    siteUrl,
    basePath: pathname.replace(/\/$/u, ''),
    release,
    allowedOrigins: new Set([origin, ...connect]),
    policy: policyFor(firstResponse),
  };
  const found = new Map<string, Difference>();
  const unchecked = new Map<string, Verification['unchecked'][number]>();
  const compare = (check: Check, response: ReceivedResponse) => {
    // The same address is requested several times. What arrives may be changed in several ways, but is named once.
    for (const difference of differencesOf(check, response, site)) {
      const key = JSON.stringify({ ...difference, received: undefined, notes: undefined });
      if (!found.has(key)) found.set(key, difference);
    }
  };
  compare(first, firstResponse);

  const addressCount = new Set(checks.map((check) => fullPath(site, check))).size;
  const endMs = performance.now() + MAX_TOTAL_MS;
  let done = 1;
  let failuresInARow = 0;
  let lastReason: string = TIMEOUT;
  await runLanes(LANES, rest, signal, async (check) => {
    const canGo = failuresInARow < MAX_FAILURES_IN_A_ROW && performance.now() < endMs;
    const response = canGo ? await respond(check, options) : { unreachable: lastReason };
    if ('unreachable' in response) {
      failuresInARow += 1;
      lastReason = response.unreachable;
      const path = fullPath(site, check);
      unchecked.set(path, { path, file: check.file, reason: lastReason });
    } else {
      failuresInARow = 0;
      compare(check, response);
    }
    done += 1;
    onProgress(Math.floor((done / checks.length) * addressCount), addressCount);
  });
  return {
    fileCount: new Set(checks.map(({ file }) => file)).size,
    addressCount,
    differences: [...found.values()].toSorted(byPath),
    unchecked: [...unchecked.values()].toSorted(byPath),
  };
}

/** Every response must have the policy of the first one, which may name other origins and nothing else. */
function policyFor(response: ReceivedResponse): string {
  const [policy = ''] = valuesOf(response, 'content-security-policy');
  return otherOriginsIn(policy) ? policy : pagePolicy([]);
}

async function respond(
  { path, headers }: Check,
  { siteUrl, get, signal, retryPausesMs = RETRY_PAUSES_MS }: VerifyOptions,
): Promise<ReceivedResponse | Unreachable> {
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

const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : Number(a.path > b.path));
