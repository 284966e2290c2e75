import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messages } from '@furoshiki/texts/messages';
import { expect, it } from 'vitest';

function keysOf(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    typeof inner === 'object' && inner !== null ? keysOf(inner, `${prefix}${key}.`) : [prefix + key],
  );
}

interface Source {
  folder: string;
  code: string;
}

function sourcesIn(root: string): Source[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const ours = files.filter((name) => /\.tsx?$/u.test(name) && !name.includes('.test.'));
  return ours.map((name) => ({ folder: dirname(join(root, name)), code: readFileSync(join(root, name), 'utf8') }));
}

const escaped = (text: string) => text.replaceAll('.', String.raw`\.`);

/**
 * Returns predicates for the keys that a template such as `nav.${key}` can produce. The values come from a closed list
 * in the same folder, or in a package if it is a list of errors, problems, screens or units of time.
 */
function composedKeys(sources: Source[], packages: Source[]): ((key: string) => boolean)[] {
  return sources.flatMap(({ folder, code }) =>
    [...code.matchAll(/`([\w.-]+\.)\$\{[^}`]*\}([\w.]*)`/gu)].map(([, before = '', after = '']) => {
      const pattern = new RegExp(`^${escaped(before)}([\\w-]+)${escaped(after)}$`, 'u');
      const isInPackage = /^(?:\w+Errors|head|home\.refused|tampering|progress)\.$/u.test(before);
      const nearby = sources.filter((other) => other.folder === folder);
      const listSources = isInPackage ? [...nearby, ...packages] : nearby;
      const values = new Set(
        listSources.flatMap((other) => [...other.code.matchAll(/'([\w-]+)'/gu)].map(([, value]) => value)),
      );
      return (key: string) => values.has(pattern.exec(key)?.[1]);
    }),
  );
}

it('every text is used by a screen', () => {
  const sources = sourcesIn(join(import.meta.dirname, '../src'));
  const packages = join(import.meta.dirname, '../../../packages');
  const lists = ['api', 'format', 'site', 'transfer'].flatMap((name) => sourcesIn(join(packages, name, 'src')));
  const composed = composedKeys(sources, lists);
  const unused = keysOf(messages.en).filter((key) => {
    const plain = key.replace(/_(one|other)$/u, '');
    // The server uses `apiErrors`, one for each error code. The tests of packages/texts compare the two lists.
    if (plain.startsWith('apiErrors.')) return false;
    if (composed.some((isComposed) => isComposed(plain))) return false;
    // A screen uses the key itself, or its whole group, for example all waiting messages.
    const group = /^(\w+\.\w+)\.\w+$/u.exec(plain)?.[1];
    return ![`'${plain}'`, `texts.${group}`].some((use) => sources.some(({ code }) => code.includes(use)));
  });
  expect(unused).toEqual([]);
});
