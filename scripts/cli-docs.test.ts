import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withCommands } from './cli-docs.mjs';
import { ROOT } from './paths.mjs';

const page = readFileSync(join(ROOT, 'docs', 'CLI.md'), 'utf8');

test('docs/CLI.md has every command of the client (update it with npm run docs)', () => {
  expect(page).toBe(withCommands(page));
});

test('rejects a page without the comments around the commands', () => {
  expect(() => withCommands('# The client')).toThrow('has lost the two comments');
});
