import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messages } from '@furoshiki/locales/messages';
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
 * The keys that a template such as `nav.${key}` can come to. It picks out of a closed list, which stands beside it in the same
 * folder, or in core where it is a list of errors or screens.
 */
function composedKeys(sources: Source[], core: Source[]): ((key: string) => boolean)[] {
  return sources.flatMap(({ folder, code }) =>
    [...code.matchAll(/`([\w.-]+\.)\$\{[^}`]*\}([\w.]*)`/gu)].map(([, before = '', after = '']) => {
      const pattern = new RegExp(`^${escaped(before)}([\\w-]+)${escaped(after)}$`, 'u');
      const isListOfCore = /^(?:\w+Errors|head)\.$/u.test(before);
      const beside = isListOfCore ? core : sources.filter((other) => other.folder === folder);
      const words = new Set(
        beside.flatMap((other) => [...other.code.matchAll(/'([\w-]+)'/gu)].map(([, word]) => word)),
      );
      return (key: string) => words.has(pattern.exec(key)?.[1]);
    }),
  );
}

it('no text is left that no screen says', () => {
  const sources = sourcesIn(join(import.meta.dirname, '../src'));
  const composed = composedKeys(sources, sourcesIn(join(import.meta.dirname, '../../../packages/core/src')));
  const unused = keysOf(messages.en).filter((key) => {
    const plain = key.replace(/_(one|other)$/u, '');
    // The server says `apiErrors`, one for each of its codes: the locales' own test compares the two.
    if (plain.startsWith('apiErrors.')) return false;
    if (composed.some((isComposed) => isComposed(plain))) return false;
    // By itself, or with its whole group, such as all that is said while one waits.
    const group = /^(\w+\.\w+)\.\w+$/u.exec(plain)?.[1];
    return ![plain, group].some((name) => sources.some(({ code }) => code.includes(`'${name}'`)));
  });
  expect(unused).toEqual([]);
});
