// Collects what differs on one server, from one response after another.
import { otherOriginsIn, pagePolicy, type Release } from '@furoshiki/site';
import type { Check } from './checks.ts';
import { addedHeaders, type Difference, differencesOf, fullPath, pageAddressIn, type Site } from './compare.ts';
import { type ReceivedResponse, valuesOf } from './get-response.ts';

export interface Verification {
  /** The number of files of the release that the server must serve. */
  fileCount: number;
  addressCount: number;
  differences: Difference[];
  /** Whether the server sends what every server of this release sends by default. If not, only its operator can sign it. */
  isPublished: boolean;
  /** Headers that something between this server and us has added, and that browsers do not use. */
  added: string[];
  /** What could not be requested. */
  unchecked: { path: string; file: string; reason: string }[];
  /** The browser that has received it, if one was driven, and the files that it does not show. */
  browser?: { name: string; hidden: string[] };
}

interface Options {
  /** Origin and base path, without a slash at the end. */
  siteUrl: string;
  release: Release;
  /** Origins that the policy may allow connections to, besides that of the server. */
  connect: readonly string[];
}

/** The first response, which must be a page, says which policy and which address all others must have. */
export function createComparison({ siteUrl, release, connect }: Options, first: Check, response: ReceivedResponse) {
  const { origin, pathname } = new URL(siteUrl);
  const known = {
    siteUrl,
    basePath: pathname.replace(/\/$/u, ''),
    release,
    allowedOrigins: new Set([origin, ...connect]),
    policy: policyFor(response, release),
  };
  const site: Site = { ...known, pageAddress: pageAddressIn(first, response, known) };
  const added = new Set<string>();
  const found = new Map<string, Difference>();
  const unchecked = new Map<string, Verification['unchecked'][number]>();
  return {
    site,
    add(check: Check, received: ReceivedResponse): void {
      for (const name of addedHeaders(received)) added.add(name);
      // The same address is requested several times. What arrives may be changed in several ways, but is named once.
      for (const difference of differencesOf(check, received, site)) {
        const key = JSON.stringify({ ...difference, received: undefined, notes: undefined });
        if (!found.has(key)) found.set(key, difference);
      }
    },
    leaveOut(check: Check, reason: string): void {
      const path = fullPath(site, check);
      unchecked.set(path, { path, file: check.file, reason });
    },
    /** `files` are the addresses that had to be compared. */
    result: (files: readonly Check[]): Verification => ({
      fileCount: new Set(files.map(({ file }) => file)).size,
      addressCount: new Set(files.map((check) => fullPath(site, check))).size,
      isPublished: site.pageAddress.siteUrl === '' && site.policy === pagePolicy([], release),
      added: [...added].toSorted(),
      differences: [...found.values()].toSorted(byPath),
      unchecked: [...unchecked.values()].toSorted(byPath),
    }),
  };
}

/** Every response must have the policy of the first one, which may name other origins and nothing else. */
function policyFor(response: ReceivedResponse, release: Release): string {
  const [policy = ''] = valuesOf(response, 'content-security-policy');
  return otherOriginsIn(policy, release) ? policy : pagePolicy([], release);
}

const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : Number(a.path > b.path));
