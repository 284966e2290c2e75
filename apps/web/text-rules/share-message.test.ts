// The message that a sender copies can be pasted into the key field as it is, in every language.
import { formatKey, joinWords, mayHaveWords, parseKey } from '@furoshiki/format';
import { loadWordList, loadWordListsFor } from '@furoshiki/format/word-lists';
import { secretOf, wordsOf } from '@furoshiki/format/words';
import { languages } from '@furoshiki/texts';
import { messages } from '@furoshiki/texts/messages';
import { expect, it } from 'vitest';

const BYTES = Uint8Array.from({ length: 32 }, (_, index) => index * 7);
const VALUES: Record<string, string> = {
  link: 'https://furoshiki.test/en/download/AAAAAAAAAAAAAAAAAAAAAA',
  key: formatKey(BYTES),
  date: '1 March 2025, 12:00',
};

function messageIn(language: (typeof languages)[number], values: Record<string, string>): string {
  return messages[language].share.message.replaceAll(/\{\{(\w+)\}\}/gu, (_, name: string) => values[name] ?? '');
}

it.each(languages)('in %s', (language) => {
  const message = messageIn(language, VALUES);
  expect(parseKey(message)).toEqual(BYTES);
  // A field of one line drops the line breaks.
  expect(parseKey(message.replaceAll('\n', ''))).toEqual(BYTES);
});

it.each(languages)('in %s with a key of words', async (language) => {
  const secret = BYTES.slice(0, 16);
  const words = joinWords(wordsOf(secret, await loadWordList(language)));
  const message = messageIn(language, { ...VALUES, key: words });
  expect(mayHaveWords(message)).toBe(true);
  const lists = await loadWordListsFor(message, 'en');
  expect(secretOf(message, lists)).toEqual(secret);
  // What the key field makes of it.
  expect(secretOf(message.replaceAll(/[\r\n]+/gu, ' '), lists)).toEqual(secret);
});
