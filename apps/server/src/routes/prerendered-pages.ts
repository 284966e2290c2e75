// The prerendered pages of the build, with the base path and the address of this server filled in.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { BASE_PLACEHOLDER, fillPage } from '@furoshiki/site';

/** Compresses nearly as well as the best quality, in a tenth of the time. */
const CACHED_QUALITY = 9;
/** For pages that are compressed for each request. */
const UNCACHED_QUALITY = 1;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

export type Encoding = 'br' | 'gzip' | 'identity';

interface FilledPage {
  etag: string;
  bytes: Buffer;
}

export interface PrerenderedPages {
  /** Returns undefined if the build has no such page. */
  find(name: string, siteUrl: string, encoding: Encoding): Promise<FilledPage> | undefined;
}

/** Page names look like `en/faq` or `fallback`. Returns undefined in development, where Vite serves the pages. */
export async function readPrerenderedPages(
  webRoot: string,
  basePath: string,
  publicOrigin: string | undefined,
): Promise<PrerenderedPages | undefined> {
  const folder = join(webRoot, 'pages');
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  const templates = new Map<string, string>();
  for (const file of files.filter((name) => name.endsWith('.html'))) {
    const html = await readFile(join(folder, file), 'utf8');
    if (!html.includes(BASE_PLACEHOLDER)) throw new Error(`${file} has no <base> to write BASE_PATH into`);
    const name = file.replaceAll('\\', '/').slice(0, -'.html'.length);
    templates.set(name, html);
  }
  if (templates.size === 0) return undefined;

  const cache = new Map<string, Promise<FilledPage>>();
  return {
    find(name, siteUrl, encoding) {
      const html = templates.get(name);
      if (html === undefined) return undefined;
      const fill = (quality: number) => compressPage(fillPage(html, { siteUrl, basePath }), encoding, quality);
      // A client chooses its Host header, so nothing is kept per address: a made-up one takes nothing from a real one.
      if (publicOrigin === undefined) return fill(UNCACHED_QUALITY);
      const key = `${encoding} ${name}`;
      const page = cache.get(key) ?? fill(CACHED_QUALITY);
      cache.set(key, page);
      return page;
    },
  };
}

async function compressPage(html: string, encoding: Encoding, quality: number): Promise<FilledPage> {
  const plain = Buffer.from(html);
  const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  return { etag: `"${digest}-${encoding}"`, bytes: await compress(plain, encoding, quality) };
}

async function compress(plain: Buffer, encoding: Encoding, quality: number): Promise<Buffer> {
  switch (encoding) {
    case 'br':
      return toBrotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
    case 'gzip':
      return toGzip(plain, { level: quality });
    case 'identity':
      return plain;
  }
}
