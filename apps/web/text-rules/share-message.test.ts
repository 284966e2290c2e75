// The message that a sender copies can be pasted into the key field as it is, in every language.
import { formatKey, parseKey } from '@furoshiki/format';
import { languages } from '@furoshiki/texts';
import { messages } from '@furoshiki/texts/messages';
import { expect, it } from 'vitest';

const BYTES = Uint8Array.from({ length: 32 }, (_, index) => index * 7);
const VALUES: Record<string, string> = {
  link: 'https://furoshiki.test/en/download/AAAAAAAAAAAAAAAAAAAAAA',
  key: formatKey(BYTES),
  date: '1 March 2025, 12:00',
};

it.each(languages)('in %s', (language) => {
  const message = messages[language].share.message.replaceAll(
    /\{\{(\w+)\}\}/gu,
    (_, name: string) => VALUES[name] ?? '',
  );
  expect(parseKey(message)).toEqual(BYTES);
  // A field of one line drops the line breaks.
  expect(parseKey(message.replaceAll('\n', ''))).toEqual(BYTES);
});
