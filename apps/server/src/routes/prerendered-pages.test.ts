import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PrerenderedPages, readPrerenderedPages } from './prerendered-pages.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'furoshiki-pages-'));
  await mkdir(join(root, 'pages', 'en'), { recursive: true });
  await writeFile(join(root, 'pages', 'en', 'faq.html'), '<base href="/" /><a href="https://site.invalid/en/faq">');
});
afterAll(() => rm(root, { recursive: true }));

const find = async (pages: PrerenderedPages | undefined, siteUrl: string) => {
  const page = await pages?.find('en/faq', siteUrl, 'br');
  expect(String(brotliDecompressSync(page?.bytes ?? ''))).toContain(`<a href="${siteUrl}/en/faq">`);
  return page;
};

it('compresses a page once if the address of the site is known', async () => {
  const pages = await readPrerenderedPages(root, '', 'https://files.example.org');
  const first = await find(pages, 'https://files.example.org');
  expect(await find(pages, 'https://files.example.org')).toBe(first);
  const gzipped = await pages?.find('en/faq', 'https://files.example.org', 'gzip');
  expect(String(gunzipSync(gzipped?.bytes ?? ''))).toContain('https://files.example.org');
});

it('keeps nothing for an address that the client chooses', async () => {
  const pages = await readPrerenderedPages(root, '', undefined);
  const first = await find(pages, 'https://h.example');
  const again = await find(pages, 'https://h.example');
  expect(again).toEqual(first);
  expect(again).not.toBe(first);
});
