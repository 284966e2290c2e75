import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compressAll } from './write-pages.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'furoshiki-compress-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('writes compressed versions that name neither a time nor a system', async () => {
  const text = 'furoshiki '.repeat(100);
  for (const name of ['a.js', 'a.png']) await writeFile(join(folder, name), text);
  await writeFile(join(folder, 'short.css'), 'a{}');
  await compressAll(folder);
  expect((await readdir(folder)).toSorted()).toEqual(['a.js', 'a.js.br', 'a.js.gz', 'a.png', 'short.css']);
  const gz = await readFile(join(folder, 'a.js.gz'));
  // RFC 1952: no flags, no time, best compression, unknown system.
  expect(gz.subarray(0, 10).toString('hex')).toBe('1f8b08000000000002ff');
  expect(String(gunzipSync(gz))).toBe(text);
  expect(String(brotliDecompressSync(await readFile(join(folder, 'a.js.br'))))).toBe(text);
});
