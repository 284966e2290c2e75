import { API_ERROR_STATUS, DOWNLOAD_CATEGORIES, UPLOAD_CATEGORIES } from '@furoshiki/core';
import { describe, expect, it } from 'vitest';
import { messages } from './messages.ts';

/** Every text of a language by its dotted key. */
function flatten(value: unknown, prefix = ''): Map<string, string> {
  if (typeof value === 'string') return new Map([[prefix, value]]);
  return new Map(
    Object.entries(value as Record<string, unknown>).flatMap(([key, inner]) => [
      ...flatten(inner, prefix === '' ? key : `${prefix}.${key}`),
    ]),
  );
}

const placeholders = (text: string) => [...text.matchAll(/\{\{\w+\}\}/gu)].map(String).toSorted();
const english = flatten(messages.en);

// The other seven follow their patterns when the screens stand.
describe.each(['en', 'ja'] as const)('%s', (language) => {
  const texts = flatten(messages[language]);

  it('has exactly the keys of English', () => {
    expect([...texts.keys()].toSorted()).toEqual([...english.keys()].toSorted());
  });

  it('keeps every placeholder and leaves no text empty', () => {
    for (const [key, text] of texts) {
      expect(text.trim(), key).not.toBe('');
      expect(placeholders(text), key).toEqual(placeholders(english.get(key) ?? ''));
    }
  });

  it('has a text for every error that the server or a screen can tell', () => {
    expect(Object.keys(messages[language].apiErrors).toSorted()).toEqual(Object.keys(API_ERROR_STATUS).toSorted());
    expect(Object.keys(messages[language].uploadErrors)).toEqual([...UPLOAD_CATEGORIES]);
    expect(Object.keys(messages[language].downloadErrors)).toEqual([...DOWNLOAD_CATEGORIES]);
  });
});
