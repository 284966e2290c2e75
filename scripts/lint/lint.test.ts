// Checks that the linter uses types, and that it forbids the page's globals in the engines.
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
])('in %s the linter reports %s', (file, rule) => {
  expect(stdout.split('\n').filter((line) => line.includes(file) && line.includes(rule))).toHaveLength(1);
});
