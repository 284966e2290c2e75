import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './paths.mjs';

it('names only files that exist in the threat model', () => {
  const text = readFileSync(join(ROOT, 'docs', 'THREAT-MODEL.md'), 'utf8');
  const named = [...text.matchAll(/`([\w./-]+\.tsx?)`/gu)].map(([, path = '']) => basename(path));
  const existing = new Set(
    ['apps', 'packages', 'e2e', 'scripts'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true }).map((path) => basename(String(path))),
    ),
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((name) => !existing.has(name))).toEqual([]);
});
