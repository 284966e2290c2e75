import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readPrerenderedPages } from './prerendered-pages.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'furoshiki-pages-'));
  await mkdir(join(root, 'pages', 'en'), { recursive: true });
  await writeFile(join(root, 'pages', 'en', 'faq.html'), '<base href="/" /><a href="https://site.invalid/en/faq">');
});
afterAll(() => rm(root, { recursive: true }));

it('compresses pages once for the first few sites and each time for all others, with the address of the site', async () => {
  const pages = await readPrerenderedPages(root, '');
  const find = (site: number) => pages?.find('en/faq', `https://h${site}.example`, 'br');
  const first = find(0);
  for (let site = 0; site < 10; site += 1) {
    const page = await find(site);
    expect(String(brotliDecompressSync(page?.bytes ?? ''))).toContain(`href="https://h${site}.example/en/faq"`);
  }
  expect(find(0)).toBe(first);
  expect(find(9)).not.toBe(find(9));
  const gzipped = await pages?.find('en/faq', 'https://h9.example', 'gzip');
  expect(String(gunzipSync(gzipped?.bytes ?? ''))).toContain('https://h9.example');
});
