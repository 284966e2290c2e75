import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeFileName, shownName } from './names.ts';

describe('safeFileName', () => {
  it.each([
    'a.txt',
    'サンプル "a".txt',
    'naïve 🎁.zip',
    '.gitignore',
    'a..b',
    "it's 100%; <ok>?*|:.txt",
    'console.log',
  ])('leaves %s as it is', (name) => expect(safeFileName(name)).toBe(name));

  it.each([
    ['../../etc/passwd', '.._.._etc_passwd'],
    [String.raw`C:\autoexec.bat`, 'C:_autoexec.bat'],
    ['a\nb\u0000c\u007f', 'a_b_c_'],
    ['photo\u202egpj.exe', 'photo_gpj.exe'],
    ['..', '__'],
    ['trailing. .', 'trailing___'],
    ['', '_'],
    ['NUL', '_NUL'],
    ['con.tar.gz', '_con.tar.gz'],
    ['com1.txt', '_com1.txt'],
  ])('saves %j as %j', (name, safe) => expect(safeFileName(name)).toBe(safe));
});

it('a safe name never leads out of its folder, is never empty, and stays the same when made safe again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      const safe = safeFileName(name);
      expect(safe).not.toMatch(/[/\\\p{Cc}]|^$|^\.+$/u);
      expect(safeFileName(safe)).toBe(safe);
    }),
  );
});

it('shows no characters that change the text direction', () => {
  expect(shownName('photo\u202egpj.exe')).toBe('photo_gpj.exe');
  expect(shownName('trip/サンプル 🎁.zip')).toBe('trip/サンプル 🎁.zip');
});
