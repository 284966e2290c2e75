import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { variables } from '../apps/server/src/config/config-variables.ts';
import { withVariables } from './operating-docs.mjs';
import { ROOT } from './paths.mjs';

const page = readFileSync(join(ROOT, 'docs', 'OPERATING.md'), 'utf8');

test('docs/OPERATING.md lists every variable of the server (update it with npm run docs)', () => {
  expect(page).toBe(withVariables(page));
  for (const name of Object.keys(variables)) expect(page).toContain(`\n| \`${name}\``);
});

test('restores a table that was edited', () => {
  const changed = page.replace('`127.0.0.1`', '`0.0.0.0`');
  expect(changed).not.toBe(page);
  expect(withVariables(changed)).toBe(page);
});

test('rejects a page without the comments around the table', () => {
  expect(() => withVariables('# Operating')).toThrow('has lost the two comments');
});
