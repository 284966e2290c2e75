// The manifest of a deployment, in the format of WEBCAT (docs.webcat.tech): every path that browsers load a document, a script
// or a style from, with the SHA-256 of its bytes, and the policies. It depends on the build and on the settings, and on nothing
// else.
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { API_PREFIX } from '@furoshiki/api';
import {
  API_DOCS_PATH,
  DATA_POLICY,
  FALLBACK_FILE,
  fillPage,
  pagePolicy,
  parseRelease,
  type Release,
  servedFiles,
  type SiteAddress,
} from '@furoshiki/site';
import { languages } from '@furoshiki/texts';
import type { Config } from '../config/config.ts';
import { analyticsSettings } from '../config/settings.ts';
import { PUBLISHED_DIR } from '../config/web-root.ts';
import { STORE_PREFIX } from '../signing.ts';

export interface Manifest {
  app: string;
  version: string;
  default_csp: string;
  /** The longest prefix of a path counts. */
  extra_csp: Record<string, string>;
  /** Without a slash at its start. */
  default_index: string;
  default_fallback: string;
  /** Paths, and the SHA-256 of their bytes in base64url. */
  files: Record<string, string>;
  /** The SHA-256 of WebAssembly. We have none. */
  wasm: string[];
  /** Only if it is signed with Sigsum: the tree head of a log, which has the time of the signature. */
  timestamp?: string;
}

interface Deployment {
  webRoot: string;
  release: Release;
  address: SiteAddress;
  otherOrigins: readonly string[];
  /** The address of the sources of the release. */
  source: string | undefined;
}

export async function manifestOf({ webRoot, release, address, otherOrigins, source }: Deployment): Promise<Manifest> {
  const { basePath } = address;
  const policy = pagePolicy(otherOrigins, release);
  // Every path that is not listed has the bytes of the fallback page.
  const fallback = `${basePath}/index.html`;
  const fallbackPaths = [basePath, `${basePath}/`, fallback].filter((path) => path !== '');
  const served = [
    ...servedFiles(release, languages).map((entry) => ({ ...entry, path: basePath + entry.path })),
    ...fallbackPaths.map((path) => ({ path, file: FALLBACK_FILE, isTemplate: true })),
  ];
  const hashes = served.map(async ({ path, file, isTemplate }) => {
    const bytes = await readFile(join(webRoot, file));
    return [path, hash('sha256', isTemplate ? fillPage(bytes.toString(), address) : bytes, 'base64url')] as const;
  });
  const files = await Promise.all(hashes);
  return {
    // The program that is signed, if it is known. The site is only a place where it runs.
    app: source ?? (address.siteUrl || PROJECT),
    version: release.version,
    default_csp: policy,
    extra_csp: {
      [`${basePath}${API_PREFIX}/`]: DATA_POLICY,
      [basePath + API_DOCS_PATH]: policy,
      [`${basePath}${STORE_PREFIX}/`]: DATA_POLICY,
    },
    default_index: fallback.slice(1),
    default_fallback: fallback,
    files: Object.fromEntries(files.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    wasm: [],
  };
}

/** Names what differs between the manifest that was signed and what this server serves. */
export function differencesOf(signed: Partial<Manifest>, own: Manifest): string[] {
  const fields = ['default_csp', 'default_index', 'default_fallback'] as const;
  const differing: string[] = fields.filter((field) => signed[field] !== own[field]);
  // What is signed again with other settings has one more number.
  const revision = signed.version?.startsWith(own.version) === true && signed.version.slice(own.version.length);
  if (revision === false || !/^(?:\.\d+)?$/u.test(revision)) differing.unshift('version');
  for (const field of ['files', 'extra_csp'] as const) {
    const signedEntries = signed[field] ?? {};
    const keys = new Set([...Object.keys(signedEntries), ...Object.keys(own[field])]);
    for (const key of keys) if (signedEntries[key] !== own[field][key]) differing.push(key);
  }
  if ((signed.wasm ?? []).length > 0) differing.push('wasm');
  return differing;
}

/** The name of the program, if the address of its sources is not known. */
const PROJECT = 'furoshiki';

/** What this server writes into its pages. Without full link previews, they name no server. */
export function pageAddressOf({ FULL_PREVIEWS, PUBLIC_ORIGIN = '', BASE_PATH: basePath = '' }: Config): SiteAddress {
  return { siteUrl: FULL_PREVIEWS ? PUBLIC_ORIGIN + basePath : basePath, basePath };
}

/** Whether browsers get exactly what every server of this release sends by default: one manifest is valid for all of them. */
export function servesPublished(config: Config, storageOrigin: string | undefined): boolean {
  return pageAddressOf(config).siteUrl === '' && otherOriginsOf(config, storageOrigin).length === 0;
}

/** The folder with the signed files that this server serves. By default it is that of the release, if it is valid here. */
export function signedFolderOf(config: Config, storageOrigin: string | undefined): string | undefined {
  if (config.WEBCAT_DIR !== undefined) return config.WEBCAT_DIR;
  const isSigned = servesPublished(config, storageOrigin) && existsSync(join(PUBLISHED_DIR, 'bundle.json'));
  return isSigned ? PUBLISHED_DIR : undefined;
}

/**
 * The origins that the page may connect to besides the address that it was opened at. `storageOrigin` is that of the
 * object store, if browsers connect to it.
 */
export function otherOriginsOf(config: Config, storageOrigin: string | undefined): string[] {
  const origins = [storageOrigin, analyticsSettings(config)?.url];
  return origins.filter((origin) => origin !== undefined);
}

/** Returns the address of the sources of exactly this build, or undefined if they cannot be known. */
export function sourceOf({ SOURCE_URL: url }: Config, { commit }: Release): string | undefined {
  return commit === null ? undefined : url?.replaceAll('{commit}', commit);
}

export interface BuiltRelease extends Release {
  /** The SHA-256 of build.json. */
  fingerprint: string;
}

/**
 * What the built web app says about itself: version, commit and the hash of every file. Returns undefined in
 * development, where there is no build, and if build.json is damaged.
 */
export async function readRelease(webRoot: string): Promise<BuiltRelease | undefined> {
  try {
    const bytes = await readFile(join(webRoot, 'build.json'));
    return { ...parseRelease(bytes.toString()), fingerprint: hash('sha256', bytes, 'hex') };
  } catch {
    return undefined;
  }
}

/** Returns the files that are missing, or are not those that were built. */
export async function changedFiles(webRoot: string, { files }: Release): Promise<string[]> {
  const changed: string[] = [];
  for (const [file, built] of Object.entries(files)) {
    const bytes = await readFile(join(webRoot, file)).catch(() => undefined);
    if (!bytes || hash('sha256', bytes, 'hex') !== built) changed.push(file);
  }
  return changed;
}
