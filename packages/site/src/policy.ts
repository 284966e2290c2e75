// The Content-Security-Policy of every response: one for the pages and their files, one for JSON and stored bytes. They
// are here because a deployment manifest contains them, and `furoshiki verify` compares them character for character.
import { toBase64 } from '@furoshiki/format';
import { IMPORT_MAP_FILE, type Release } from './release.ts';

/** The Trusted Types policies of the web app: they allow workers from our own files. `default` is for strings. */
const TRUSTED_TYPES_POLICIES = 'furoshiki-workers default';

/** The SHA-256 of the style that the error pages contain. They load no other file. */
const ERROR_PAGE_STYLE = "'sha256-Oi63AZ26PKbFfCBcEaIYT2VPm2Gztu5x04WZGgnahcM='";

/**
 * `otherOrigins` are those that the page may connect to besides its own: the object store and the analytics service. The import map
 * of the release, which has the hash of every module, is the only script within a page. Without a build there is none.
 */
export function pagePolicy(otherOrigins: readonly string[], release?: Release): string {
  const importMap = release?.files[IMPORT_MAP_FILE];
  return [
    "default-src 'none'",
    ["script-src 'self'", ...(importMap === undefined ? [] : [`'sha256-${base64Of(importMap)}'`])].join(' '),
    `style-src 'self' ${ERROR_PAGE_STYLE}`,
    "img-src 'self' data:",
    "media-src 'self'",
    "font-src 'self'",
    ["connect-src 'self'", ...otherOrigins].join(' '),
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${TRUSTED_TYPES_POLICIES}`,
  ].join(';');
}

/** Returns the other origins of a policy, or undefined if the policy has any other difference. */
export function otherOriginsIn(policy: string, release?: Release): string[] | undefined {
  const origins = /;connect-src 'self'([^;]*);/u.exec(policy)?.[1]?.split(' ').slice(1) ?? [];
  return pagePolicy(origins, release) === policy ? origins : undefined;
}

function base64Of(hex: string): string {
  return toBase64(Uint8Array.from(hex.match(/../gu) ?? [], (byte) => Number.parseInt(byte, 16)));
}

/** JSON and stored bytes are not documents. If a browser ever shows one as a document, it may do nothing. */
export const DATA_POLICY = [
  'sandbox',
  "default-src 'none'",
  `style-src ${ERROR_PAGE_STYLE}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join(';');
