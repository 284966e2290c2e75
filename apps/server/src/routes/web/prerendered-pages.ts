// The pages that the build has written, filled with what only a running server knows: its base path and its address.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Stands in the pages where the site's address belongs; build/page-template.ts of the web app has written it. */
const SITE_URL_PLACEHOLDER = 'https://site.invalid';
const BASE_PLACEHOLDER = '<base href="/" />';
/** Sites whose filled pages are remembered. One is the rule; without PUBLIC_ORIGIN whoever asks names it, and pays for more. */
const REMEMBERED_SITES = 4;
/** A tenth of the time that the best takes, for nearly as little. */
const USUAL_QUALITY = 9;
/** For pages that are not remembered: a stranger can ask for one after the other. */
const QUICK_QUALITY = 1;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

export type Encoding = 'br' | 'gzip' | 'identity';

export interface FilledPage {
  etag: string;
  bytes: Buffer;
}

export interface WrittenPages {
  /** Undefined where the build has no such page. */
  find(name: string, siteUrl: string, encoding: Encoding): Promise<FilledPage> | undefined;
}

/** Undefined in development, where Vite serves the page and nothing is built. Names are such as `en/faq`. */
export async function readWrittenPages(webRoot: string, basePath: string): Promise<WrittenPages | undefined> {
  const folder = join(webRoot, 'pages');
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  const written = new Map<string, string>();
  for (const file of files.filter((name) => name.endsWith('.html'))) {
    const html = await readFile(join(folder, file), 'utf8');
    if (!html.includes(BASE_PLACEHOLDER)) throw new Error(`${file} has no <base> to write BASE_PATH into`);
    const name = file.replaceAll('\\', '/').slice(0, -'.html'.length);
    written.set(name, html.replace(BASE_PLACEHOLDER, `<base href="${basePath}/" />`));
  }
  if (written.size === 0) return undefined;

  const sites = new Map<string, Map<string, Promise<FilledPage>>>();
  return {
    find(name, siteUrl, encoding) {
      const html = written.get(name);
      if (html === undefined) return undefined;
      const filled = sites.get(siteUrl) ?? remember(sites, siteUrl);
      const key = `${encoding} ${name}`;
      const known = filled?.get(key);
      if (known) return known;
      const page = html.replaceAll(SITE_URL_PLACEHOLDER, siteUrl);
      if (!filled) return pack(page, encoding, QUICK_QUALITY);
      const fresh = pack(page, encoding, USUAL_QUALITY);
      filled.set(key, fresh);
      return fresh;
    },
  };
}

/** Undefined where there are too many already. */
function remember(sites: Map<string, Map<string, Promise<FilledPage>>>, siteUrl: string) {
  if (sites.size >= REMEMBERED_SITES) return undefined;
  const filled = new Map<string, Promise<FilledPage>>();
  sites.set(siteUrl, filled);
  return filled;
}

async function pack(html: string, encoding: Encoding, quality: number): Promise<FilledPage> {
  const plain = Buffer.from(html);
  const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  return { etag: `"${digest}-${encoding}"`, bytes: await packed(plain, encoding, quality) };
}

async function packed(plain: Buffer, encoding: Encoding, quality: number): Promise<Buffer> {
  switch (encoding) {
    case 'br':
      return toBrotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
    case 'gzip':
      return toGzip(plain, { level: quality });
    case 'identity':
      return plain;
  }
}
