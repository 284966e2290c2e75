// The rules that WEBCAT publishes for manifests, policies and headers (docs.webcat.tech, version of July 2026), and how
// its browser extension finds what a path must be. Written from these rules, for our tests.
import type { Manifest } from '../src/deployment/manifest.ts';

const HASH_SOURCE = /^'sha(?:256|384|512)-[\w+/]+=*'$/u;
const BASE64URL_SHA256 = /^[\w-]{43}$/u;

/** The sources that each directive may have. One without an entry may have any. */
const ALLOWED: Record<string, (string | RegExp)[]> = {
  'default-src': ["'none'", "'self'"],
  'script-src': ["'none'", "'self'", "'wasm-unsafe-eval'", HASH_SOURCE],
  'script-src-elem': ["'none'", "'self'", "'wasm-unsafe-eval'", HASH_SOURCE],
  'style-src': ["'none'", "'self'", HASH_SOURCE, "'unsafe-inline'", "'unsafe-hashes'"],
  'style-src-elem': ["'none'", "'self'", HASH_SOURCE, "'unsafe-inline'", "'unsafe-hashes'"],
  'object-src': ["'none'"],
  'frame-src': ["'none'", "'self'", 'blob:', 'data:'],
  'child-src': ["'none'", "'self'", 'blob:', 'data:'],
  'worker-src': ["'none'", "'self'"],
};

/** Returns what a policy breaks. */
export function brokenRulesOf(policy: string): string[] {
  if (policy.includes(',')) return ['a policy has no comma'];
  const directives = new Map<string, string[]>();
  for (const token of policy.split(';').map((text) => text.trim())) {
    const [name = '', ...sources] = token.split(/\s+/u);
    if (name !== '' && !directives.has(name.toLowerCase())) directives.set(name.toLowerCase(), sources);
  }
  const broken = Object.entries(ALLOWED).flatMap(([name, allowed]) =>
    (directives.get(name) ?? [])
      .filter((source) => !allowed.some((known) => (typeof known === 'string' ? known === source : known.test(source))))
      .map((source) => `${name} may not have ${source}`),
  );
  if (directives.get('default-src')?.join(' ') !== "'none'") {
    const needed = ['object-src', 'worker-src', 'script-src', 'style-src'].filter((name) => !directives.has(name));
    if (!directives.has('frame-src') && !directives.has('child-src')) needed.push('frame-src');
    broken.push(...needed.map((name) => `without default-src 'none' there must be ${name}`));
  }
  return broken;
}

/** Returns what a manifest breaks. */
export function brokenRulesIn(manifest: Manifest): string[] {
  const { app, version, files, default_csp, extra_csp, default_index, default_fallback, wasm } = manifest;
  const rules: [string, boolean][] = [
    ['app is a text', typeof app === 'string' && app !== ''],
    ['version is numbers with dots', /^\d+(?:\.\d+)*$/u.test(version)],
    ['there are files', Object.keys(files).length > 0],
    ['paths of files begin with a slash', Object.keys(files).every((path) => path.startsWith('/'))],
    ['hashes are SHA-256 in base64url', Object.values(files).every((hash) => BASE64URL_SHA256.test(hash))],
    ['default_index has no slash at its start', !default_index.startsWith('/')],
    ['default_index is a file', Object.hasOwn(files, `/${default_index}`)],
    ['default_fallback is a file', Object.hasOwn(files, default_fallback)],
    ['wasm is a list', Array.isArray(wasm)],
    ['prefixes of extra_csp begin with a slash', Object.keys(extra_csp).every((prefix) => prefix.startsWith('/'))],
  ];
  const broken = rules.filter(([, isMet]) => !isMet).map(([rule]) => rule);
  return [...broken, ...[default_csp, ...Object.values(extra_csp)].flatMap(brokenRulesOf)];
}

/** Returns the hash that a document, script or style at a path must have; undefined: it is always blocked. */
export function hashFor({ files, default_index, default_fallback }: Manifest, path: string): string | undefined {
  if (files[path] !== undefined) return files[path];
  return path.endsWith('/') ? files[path + default_index] : files[default_fallback];
}

/** Returns the policy that a response at a path must have. */
export function policyFor({ default_csp, extra_csp, default_index }: Manifest, path: string): string {
  const effective = path === '/' ? default_index : path;
  const prefixes = Object.keys(extra_csp).filter((prefix) => effective.startsWith(prefix));
  const longest = prefixes.toSorted((a, b) => b.length - a.length)[0];
  return extra_csp[effective] ?? (longest === undefined ? default_csp : (extra_csp[longest] ?? ''));
}

/** Returns what the headers of a response break, at a path that is a document or one of its files. */
export function brokenRulesOfHeaders(headers: Headers, policy: string): string[] {
  const location = headers.get('location');
  const rules: [string, boolean][] = [
    // Several headers of this name arrive joined by a comma.
    ['there is one policy, and it is that of the manifest', headers.get('content-security-policy') === policy],
    ['there is no Link header', !headers.has('link')],
    ['there is no Refresh header', !headers.has('refresh')],
    ['a redirect is relative', location === null || /^(?:\/(?!\/)|\.\.?\/)[^\\]*$/u.test(location)],
  ];
  return rules.filter(([, isMet]) => !isMet).map(([rule]) => rule);
}
