// Proves that the linter really sees types, and that the engines are kept off the page's globals.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BIN, ROOT, toolEnv } from '../paths.mjs';

const { stdout } = spawnSync(join(BIN, 'oxlint'), ['--format=unix', 'scripts/lint/planted'], {
  cwd: ROOT,
  env: toolEnv(),
  encoding: 'utf8',
});

test.each([
  ['floating-promise.ts', 'no-floating-promises'],
  ['page-global.ts', 'no-restricted-globals'],
])('in %s, %s fires', (file, rule) => {
  expect(stdout.split('\n').filter((line) => line.includes(file) && line.includes(rule))).toHaveLength(1);
});
