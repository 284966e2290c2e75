// The manifest of a deployment, in the format of WEBCAT (docs.webcat.tech): every path that browsers load a document, a
// script or a style from, with the SHA-256 of its bytes, and the policies. It depends on the build and on the settings,
// and on nothing else.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { API_PREFIX } from '@furoshiki/api';
import {
  API_DOCS_PATH,
  DATA_POLICY,
  FALLBACK_FILE,
  fillPage,
  pagePolicy,
  type Release,
  servedFiles,
} from '@furoshiki/site';
import { languages } from '@furoshiki/texts';
import { STORE_PREFIX } from '../signed-paths.ts';

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
}

interface Deployment {
  webRoot: string;
  release: Release;
  publicOrigin: string;
  /** Empty, or a path such as /files. */
  basePath: string;
  otherOrigins: readonly string[];
}

export async function manifestOf({
  webRoot,
  release,
  publicOrigin,
  basePath,
  otherOrigins,
}: Deployment): Promise<Manifest> {
  const address = { siteUrl: publicOrigin + basePath, basePath };
  const policy = pagePolicy(otherOrigins);
  // Every path that is not listed has the bytes of the fallback page.
  const fallback = `${basePath}/index.html`;
  const fallbackPaths = [basePath, `${basePath}/`, fallback].filter((path) => path !== '');
  const served = [
    ...servedFiles(release, languages).map((entry) => ({ ...entry, path: basePath + entry.path })),
    ...fallbackPaths.map((path) => ({ path, file: FALLBACK_FILE, isTemplate: true })),
  ];
  const hashes = served.map(async ({ path, file, isTemplate }) => {
    const bytes = await readFile(join(webRoot, file));
    return [path, hashOf(isTemplate ? fillPage(bytes.toString(), address) : bytes)] as const;
  });
  const files = await Promise.all(hashes);
  return {
    app: address.siteUrl,
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

const hashOf = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('base64url');

/** Names what differs between the manifest that was signed and what this server serves. */
export function differencesOf(signed: Partial<Manifest>, own: Manifest): string[] {
  const fields = ['version', 'default_csp', 'default_index', 'default_fallback'] as const;
  const differing: string[] = fields.filter((field) => signed[field] !== own[field]);
  for (const field of ['files', 'extra_csp'] as const) {
    const signedEntries = signed[field] ?? {};
    const keys = new Set([...Object.keys(signedEntries), ...Object.keys(own[field])]);
    for (const key of keys) if (signedEntries[key] !== own[field][key]) differing.push(key);
  }
  if ((signed.wasm ?? []).length > 0) differing.push('wasm');
  return differing;
}
