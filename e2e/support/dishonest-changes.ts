// The changes that a dishonest server can make, which visitors receive them, and which check finds them. docs/VERIFYING.md has the rows as its
// table, and a test compares both.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { LISTED_SCREENS, parseRelease, screenPath } from '@furoshiki/site';
import { languages } from '@furoshiki/texts';
import { ROOT } from '../../scripts/paths.mjs';
import { addToBody, type Tamper } from './tampering-proxy.ts';

export const release = parseRelease(readFileSync(join(ROOT, 'apps', 'web', 'dist', 'build.json'), 'utf8'));

export function fileLike(pattern: RegExp): string {
  const found = Object.keys(release.files).find((file) => pattern.test(file));
  if (found === undefined) throw new Error(`the build has no file like ${pattern.source}`);
  return `/${found}`;
}

/** What the server knows of a visitor. */
export interface Visitor {
  requests: number;
  /** The page that was requested last. */
  page: string;
  hasSent: boolean;
  /** How often each path was requested. */
  times: Map<string, number>;
}

export const newVisitor = (): Visitor => ({ requests: 0, page: '', hasSent: false, times: new Map() });

/** Call it for each request, before `when`. */
export function remember(visitor: Visitor, { url = '', method, headers }: IncomingMessage): void {
  visitor.requests += 1;
  visitor.times.set(url, (visitor.times.get(url) ?? 0) + 1);
  // Pages ask for a token when they open.
  if (method === 'POST' && url !== '/api/csrf-token') visitor.hasSent = true;
  if (headers['sec-fetch-dest'] === 'document') visitor.page = url;
}

export type Check = 'requests' | 'chromium' | 'firefox';
export type When = (request: IncomingMessage, visitor: Visitor) => boolean;
export const ALL: Check[] = ['requests', 'chromium', 'firefox'];
export const BROWSERS: Check[] = ['chromium', 'firefox'];
export const NONE: Check[] = [];

/** Each change has a path of its own, so that one run tests all. */
export interface DishonestChange {
  /** The row of the table in docs/VERIFYING.md. */
  row: string;
  path: string;
  change: Tamper;
  when: When;
  noticedBy: readonly Check[];
}

export const always: When = () => true;
export const header =
  (name: string, pattern: RegExp): When =>
  ({ headers }) =>
    pattern.test(String(headers[name] ?? ''));
export const addScript = addToBody('<script>alert(1)</script>');
export const addCode = addToBody(';globalThis.stolen = true;');

/** The pages of all languages but English, each for one change. */
const otherPages = languages
  .filter((language) => language !== 'en')
  .flatMap((language) => LISTED_SCREENS.map((screen) => screenPath(screen, language)));
let used = 0;
export function anotherPage(): string {
  const path = otherPages[used];
  used += 1;
  if (path === undefined) throw new Error('there are more changes than pages');
  return path;
}

export const GIVEN_PAGE = `/download/${randomBytes(16).toString('base64url')}`;
export const OTHER_PAGE = `/download/${randomBytes(16).toString('base64url')}`;
