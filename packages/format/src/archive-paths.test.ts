import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { distinctPaths, safePath, visiblePath } from './archive-paths.ts';

describe('safePath', () => {
  it.each([
    ['photos/2026/a.jpg', 'photos/2026/a.jpg'],
    [String.raw`photos\a.jpg`, 'photos_a.jpg'],
    [String.raw`photos/..\..\a.jpg`, 'photos/.._.._a.jpg'],
    ['/etc/passwd', 'etc/passwd'],
    ['a/../../b', 'a/__/__/b'],
    ['a/./b//c', 'a/b/c'],
    ['aux/nul.txt', '_aux/_nul.txt'],
    [String.raw`C:\Windows\evil.dll`, 'C__Windows_evil.dll'],
    ['invoice.txt:evil.exe', 'invoice.txt_evil.exe'],
    ['what? *now* <a|b> "c".txt', 'what_ _now_ _a_b_ _c_.txt'],
    ['/', '_'],
    ['lone\ud800', 'lone\ufffd'],
    [`${'x'.repeat(300)}.txt`, `${'x'.repeat(246)}.txt`],
    [`${'写'.repeat(255)}/${'🎁'.repeat(80)}.`, `${'写'.repeat(83)}/${'🎁'.repeat(62)}`],
    [`a.${'x'.repeat(300)}`, `a.${'x'.repeat(248)}`],
    ['NUL .txt', '_NUL .txt'],
    [`${'x'.repeat(249)} y`, `${'x'.repeat(249)}_`],
    ['.bash_profile', '_bash_profile'],
    ['.ssh/authorized_keys', '_ssh/authorized_keys'],
    ['//./-rf', '_rf'],
    ['project/.gitignore', 'project/.gitignore'],
  ])('puts %j at %j', (name, path) => expect(safePath(name)).toBe(path));
});

describe('visiblePath', () => {
  it.each([
    ['photos/2026/a-b.c.jpg', 'photos/2026/a-b.c.jpg'],
    ['.bash_profile', '_bash_profile'],
    ['.ssh/authorized_keys', '_ssh/authorized_keys'],
    ['src/.git/hooks/-rf', 'src/_git/hooks/_rf'],
    ['...a/..b/.-c', '___a/__b/__c'],
    ['.nul/-con', '_nul/_con'],
    ['/', '_'],
  ])('puts %j at %j', (name, path) => expect(visiblePath(name)).toBe(path));

  it('has no part that is hidden, an option, too long for .part, or leads out of the folder', () => {
    const part = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary', minLength: 60, maxLength: 90 }));
    const lead = fc.constantFrom('', '.', '-', '..', '.-', '/', '\u200e.', '\u0000-');
    fc.assert(
      fc.property(fc.array(fc.tuple(lead, part), { maxLength: 4 }), (parts) => {
        const path = visiblePath(parts.map(([start, rest]) => start + rest).join('/'));
        for (const segment of path.split('/')) {
          expect(segment).not.toMatch(/^[.-]|^$|[\\\p{Cc}]/u);
          expect(new TextEncoder().encode(`${segment}.part`).length).toBeLessThanOrEqual(255);
        }
      }),
    );
  });
});

it('makes a thousand equal paths distinct with one attempt for each', () => {
  const normalize = vi.spyOn(String.prototype, 'normalize');
  const distinct = distinctPaths(Array<string>(1000).fill('a.txt'));
  const calls = normalize.mock.calls.length;
  normalize.mockRestore();
  expect(distinct.at(-1)).toBe('a (1000).txt');
  expect(calls).toBeLessThan(5000);
});

it('makes paths distinct that are equal or differ only in case', () => {
  const paths = ['a.txt', 'A.TXT', 'b/c', 'b/c', 'a (2).txt', 'a.txt', '.env', '.env'];
  const distinct = ['a.txt', 'A (2).TXT', 'b/c', 'b/c (2)', 'a (2) (2).txt', 'a (3).txt', '.env', '.env (2)'];
  expect(distinctPaths(paths)).toEqual(distinct);
});

it('makes a file distinct from a folder of the same name, in any order, case and normal form', () => {
  expect(distinctPaths(['notes', 'notes/a.txt'])).toEqual(['notes (2)', 'notes/a.txt']);
  expect(distinctPaths(['notes/a.txt', 'Notes'])).toEqual(['notes/a.txt', 'Notes (2)']);
  expect(distinctPaths(['caf\u00e9/b/c', 'cafe\u0301', 'caf\u00e9/b'])).toEqual([
    'caf\u00e9/b/c',
    'cafe\u0301 (2)',
    'caf\u00e9/b (2)',
  ]);
});

it('makes letters distinct that only some systems take for the same', () => {
  expect(distinctPaths(['ΟΔΟΣ', 'οδοσ', 'straße', 'STRASSE'])).toEqual(['ΟΔΟΣ', 'οδοσ (2)', 'straße', 'STRASSE (2)']);
});

it('keeps a name short when it gets a number', () => {
  const name = `${'x'.repeat(246)}.txt`;
  expect(distinctPaths([`a/${name}`, `a/${name}`])).toEqual([`a/${name}`, `a/${'x'.repeat(242)} (2).txt`]);
});

it('leaves no two files, and no file and folder, that a system could take for the same', () => {
  const path = fc.array(fc.constantFrom('a', 'A', 'b', 'a (2)', 'caf\u00e9', 'cafe\u0301'), {
    minLength: 1,
    maxLength: 3,
  });
  fc.assert(
    fc.property(
      fc.array(
        path.map((segments) => segments.join('/')),
        { maxLength: 12 },
      ),
      (paths) => {
        const folded = distinctPaths(paths).map((distinct) => distinct.normalize('NFC').toLowerCase());
        expect(new Set(folded).size).toBe(paths.length);
        for (const file of folded) expect(folded.some((other) => other.startsWith(`${file}/`))).toBe(false);
      },
    ),
  );
});

it('a path never leads out of its archive', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      expect(safePath(name).split('/')).not.toContain('..');
    }),
  );
});
