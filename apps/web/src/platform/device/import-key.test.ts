// Keys that people paste.
import { expect, it, vi } from 'vitest';
import { importKeyText } from './import-key.ts';

const KEY = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

it.each([
  [KEY, 0],
  [`My key is ${KEY}`, 1],
])('a key of an unusual length is only warned of (%s)', async (typed, warnings) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  await importKeyText(typed);
  expect(warn).toHaveBeenCalledTimes(warnings);
  // A key belongs in no log, not even in that of the browser.
  expect(JSON.stringify(warn.mock.calls)).not.toContain(KEY);
});
