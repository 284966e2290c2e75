// Everyone who makes the release of a commit gets the same files.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ensureBuilt } from '../../scripts/ensure-built.mjs';
import { makeRelease } from './testing/make-release.ts';

let folder: string;
beforeAll(() => {
  ensureBuilt();
  folder = mkdtempSync(join(tmpdir(), 'furoshiki-twice-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('is the same if it is made again with other permissions, and has no signature without a key', () => {
  const sums = ['022', '077'].map((umask) => {
    const out = join(folder, umask);
    makeRelease(out, { umask, platforms: [] });
    expect(readdirSync(out)).not.toContain('SHA256SUMS.sig');
    return readFileSync(join(out, 'SHA256SUMS'), 'utf8').trim().split('\n');
  });
  expect(sums[0]).toHaveLength(6);
  expect(sums[1]).toEqual(sums[0]);
});
