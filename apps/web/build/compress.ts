// Writes Brotli and gzip versions of the built files, with the best compression, which is too slow for a request.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** The byte of a gzip file that names the system that made it, and its value for an unknown system (RFC 1952). */
const GZIP_SYSTEM = 9;
const UNKNOWN_SYSTEM = 255;
const TEXTUAL = /\.(?:js|css|json|svg|webmanifest)$/u;
const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

export async function compressAll(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true });
  await Promise.all(
    names
      .filter((name) => TEXTUAL.test(name))
      .map(async (name) => {
        const path = join(folder, name);
        const plain = await readFile(path);
        const compressed = {
          br: await toBrotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }),
          gz: await toGzip(plain, { level: constants.Z_BEST_COMPRESSION }),
        };
        // macOS and Linux write different values, but every build of a commit must have the same bytes.
        compressed.gz[GZIP_SYSTEM] = UNKNOWN_SYSTEM;
        for (const [extension, bytes] of Object.entries(compressed))
          if (bytes.length < plain.length) await writeFile(`${path}.${extension}`, bytes);
      }),
  );
}
