import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readFrom } from './file-io.ts';

const KB = 1024;
let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'furoshiki-file-io-'));
  file = join(folder, 'file');
  await writeFile(file, new Uint8Array(600 * KB));
});
afterAll(() => rm(folder, { recursive: true }));

it('reads in smaller blocks if many transfers run, and in full blocks when they have ended', async () => {
  const readers = Array.from({ length: 64 }, () => readFrom(file, 0, 600 * KB));
  const lengths: number[] = [];
  for (const reader of readers) lengths.push((await reader.next()).value?.length ?? 0);
  expect([lengths[0], lengths[9], lengths[19], lengths[39]]).toEqual([512 * KB, 512 * KB, 256 * KB, 128 * KB]);
  for (const reader of readers) await reader.return(undefined);
  const last = readFrom(file, 0, 600 * KB);
  expect((await last.next()).value?.length).toBe(512 * KB);
  await last.return(undefined);
});
