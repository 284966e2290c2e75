import { expect, it } from 'vitest';
import { formatBytes } from './format-bytes.ts';

/** No line break between a number and its unit. */
const withGap = (text: string) => text.replace(' ', '\u00a0');

it.each([
  [0, '0 B'],
  [1023, '1,023 B'],
  [1024, '1 KB'],
  [1536, '1.5 KB'],
  [61 * 1024 ** 2, '61 MB'],
  [10.9 * 1024 ** 3, '10.9 GB'],
  [2048 * 1024 ** 4, '2,048 TB'],
])('shows %i bytes as %s', (bytes, text) => {
  expect(formatBytes(bytes, 'en')).toBe(withGap(text));
});

it('formats the number and its unit in the given language', () => {
  expect(formatBytes(1536, 'de')).toBe(withGap('1,5 KB'));
  expect(formatBytes(1536, 'fr')).toBe(withGap('1,5 Ko'));
});
