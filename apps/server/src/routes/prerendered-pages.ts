// The prerendered pages of the build, compressed, with the base path and the address of this server filled in if it has any.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { BASE_PLACEHOLDER, fillPage, type SiteAddress } from '@furoshiki/site';

/** Compresses nearly as well as the best quality, in a tenth of the time. */
const QUALITY = 9;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

export type Encoding = 'br' | 'gzip' | 'identity';

interface FilledPage {
  etag: string;
  bytes: Buffer;
}

export interface PrerenderedPages {
  /** Returns undefined if the build has no such page. */
  find(name: string, encoding: Encoding): Promise<FilledPage> | undefined;
}

/** Page names look like `en/faq` or `fallback`. Returns undefined in development, where Vite serves the pages. */
export async function readPrerenderedPages(
  webRoot: string,
  address: SiteAddress,
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
    find(name, encoding) {
      const html = templates.get(name);
      if (html === undefined) return undefined;
      const key = `${encoding} ${name}`;
      const page = cache.get(key) ?? compressPage(fillPage(html, address), encoding);
      cache.set(key, page);
      return page;
    },
  };
}

async function compressPage(html: string, encoding: Encoding): Promise<FilledPage> {
  const plain = Buffer.from(html);
  const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  return { etag: `"${digest}-${encoding}"`, bytes: await compress(plain, encoding) };
}

async function compress(plain: Buffer, encoding: Encoding): Promise<Buffer> {
  switch (encoding) {
    case 'br':
      return toBrotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } });
    case 'gzip':
      return toGzip(plain, { level: QUALITY });
    case 'identity':
      return plain;
  }
}
