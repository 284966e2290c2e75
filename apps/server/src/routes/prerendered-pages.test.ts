import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { AS_BUILT } from '@furoshiki/site';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readPrerenderedPages } from './prerendered-pages.ts';

const HTML = '<base href="/" />\n<link data-page="" href="/en/faq" />';
let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'furoshiki-pages-'));
  await mkdir(join(root, 'pages', 'en'), { recursive: true });
  await writeFile(join(root, 'pages', 'en', 'faq.html'), HTML);
});
afterAll(() => rm(root, { recursive: true }));

it('compresses a page once', async () => {
  const pages = await readPrerenderedPages(root, AS_BUILT);
  const first = await pages?.find('en/faq', 'br');
  expect(String(brotliDecompressSync(first?.bytes ?? ''))).toBe(HTML);
  expect(await pages?.find('en/faq', 'br')).toBe(first);
  expect(String(gunzipSync((await pages?.find('en/faq', 'gzip'))?.bytes ?? ''))).toBe(HTML);
  expect(String((await pages?.find('en/faq', 'identity'))?.bytes)).toBe(HTML);
});

it('writes the address of the site into a page', async () => {
  const address = { siteUrl: 'https://files.example.org/x', basePath: '/x' };
  const pages = await readPrerenderedPages(root, address);
  expect(String((await pages?.find('en/faq', 'identity'))?.bytes)).toBe(
    '<base href="/x/" />\n<link data-page="" href="https://files.example.org/x/en/faq" />',
  );
});
