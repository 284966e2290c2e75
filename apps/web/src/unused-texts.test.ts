import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messages } from '@furoshiki/locales/messages';
import { expect, it } from 'vitest';

function keysOf(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    typeof inner === 'object' && inner !== null ? keysOf(inner, `${prefix}${key}.`) : [prefix + key],
  );
}

it('no text is left that no screen says', () => {
  const folder = import.meta.dirname;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/u.test(name));
  const code = files.filter((name) => !name.includes('.test.')).map((name) => readFileSync(join(folder, name), 'utf8'));
  const said = code.join('\n');
  // A key that is put together picks one of a closed list, such as `uploadErrors.${category}`. The server says `apiErrors`.
  const picked = ['apiErrors', ...[...said.matchAll(/`([\w.-]+)\.\$\{/gu)].map(([, prefix = '']) => prefix)];
  const unused = keysOf(messages.en).filter((key) => {
    const plain = key.replace(/_(one|other)$/u, '');
    return !picked.some((prefix) => plain.startsWith(`${prefix}.`)) && !said.includes(`'${plain}'`);
  });
  expect(unused).toEqual([]);
});
