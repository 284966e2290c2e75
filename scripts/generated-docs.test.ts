import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { variables } from '../apps/server/src/config/config-variables.ts';
import { withCommands, withVariables } from './generated-docs.mjs';
import { ROOT } from './paths.mjs';

const read = (name: string) => readFileSync(join(ROOT, 'docs', name), 'utf8');
const operating = read('OPERATING.md');

test('docs/CLI.md has every command of the client (update it with npm run docs)', () => {
  expect(read('CLI.md')).toBe(withCommands(read('CLI.md')));
});

test('docs/OPERATING.md lists every variable of the server (update it with npm run docs)', () => {
  expect(operating).toBe(withVariables(operating));
  for (const name of Object.keys(variables)) expect(operating).toContain(`\n| \`${name}\``);
});

test('restores a table that was edited', () => {
  const changed = operating.replace('`127.0.0.1`', '`0.0.0.0`');
  expect(changed).not.toBe(operating);
  expect(withVariables(changed)).toBe(operating);
});

test.each([withCommands, withVariables])('%o rejects a page without the comments around the text', (update) => {
  expect(() => update('# A page')).toThrow('has lost the two comments');
});
