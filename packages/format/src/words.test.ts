import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import vectors from '../vectors/words.json' with { type: 'json' };
import { formatKey } from './key.ts';
import { fromBase64, type Subtle, toBase64 } from './primitives.ts';
import { loadWordList, loadWordListsFor } from './word-lists.ts';
import { joinWords } from './word-text.ts';
import { keyOfSecret, problemWhileTyping, secretOf, suggestionsFor, type WordList, wordsOf } from './words.ts';

const LANGUAGES = ['en', 'es', 'fr', 'pt', 'ja', 'ko', 'zh-CN', 'zh-TW'] as const;
const subtle: Subtle = crypto.subtle;
const lists = new Map<string, WordList>();
const all = () => [...lists.values()];
const listOf = (language: string) => lists.get(language) ?? [];

beforeAll(async () => {
  for (const language of LANGUAGES) lists.set(language, await loadWordList(language));
});

const anySecret = fc.uint8Array({ minLength: 16, maxLength: 16 });
const anyLanguage = fc.constantFrom(...LANGUAGES);
const SECRET = fromBase64(vectors.keys[4]?.secret ?? '') ?? new Uint8Array();
const english = () => wordsOf(SECRET, listOf('en'));

/** What a call throws, as far as it is of the format. */
function thrownBy(call: () => unknown) {
  try {
    call();
  } catch (thrown) {
    const { code, message, details } = thrown as { code: string; message: string; details: object };
    return { code, message, details };
  }
  return undefined;
}

describe('the vectors', () => {
  it.each(vectors.keys)('have the words and the key of $secret', async ({ secret, key, words }) => {
    const bytes = fromBase64(secret) ?? new Uint8Array();
    expect(formatKey(await keyOfSecret(subtle, bytes))).toBe(key);
    for (const language of LANGUAGES) {
      expect(joinWords(wordsOf(bytes, listOf(language))).normalize('NFC')).toBe(words[language].normalize('NFC'));
      expect(toBase64(secretOf(words[language], all()))).toBe(secret);
    }
  });

  it('have the first words that BIP39 itself gives as examples', () => {
    expect(vectors.keys[0]?.words.en).toBe(`${'abandon '.repeat(11)}about`);
    expect(vectors.keys[1]?.words.en).toMatch(/^legal winner thank year wave sausage .* yellow$/u);
  });
});

describe('secretOf', () => {
  it('reads the words of every secret in every list, in any case, form, separation and numbering', () => {
    const writings = fc.record({
      inCase: fc.constantFrom(
        (word: string) => word,
        (word: string) => word.toUpperCase(),
        (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1),
      ),
      form: fc.constantFrom('NFC', 'NFD', 'NFKC', 'NFKD'),
      separator: fc.constantFrom(' ', ', ', '\n', '\r\n', '\u3000', '、', '; ', ' - ', '\t', '. '),
      numbered: fc.constantFrom(
        (word: string) => word,
        (word: string, index: number) => `${index + 1}. ${word}`,
        (word: string, index: number) => `(${index + 1}) ${word}`,
        (word: string, index: number) => `${index + 1}º ${word}`,
        (word: string, index: number) => `${index + 1}er ${word}`,
      ),
      around: fc.constantFrom('', '“', '\u00A0'),
    });
    fc.assert(
      fc.property(anySecret, anyLanguage, writings, (secret, language, writing) => {
        const words = wordsOf(secret, listOf(language)).map((word, index) =>
          writing.numbered(writing.inCase(word), index),
        );
        const text = (writing.around + words.join(writing.separator)).normalize(writing.form);
        expect(toBase64(secretOf(text, all()))).toBe(toBase64(secret));
      }),
    );
  });

  it('reads any beginnings that only one word of the list has', () => {
    fc.assert(
      fc.property(anySecret, anyLanguage, fc.boolean(), (secret, language, inCapitals) => {
        const list = listOf(language);
        const text = wordsOf(secret, list)
          .map((word) => shortened(word, list))
          .join(' ');
        expect(toBase64(secretOf(inCapitals ? text.toUpperCase() : text, all()))).toBe(toBase64(secret));
      }),
    );
  });

  it('reads letters without their accents, Katakana, and Chinese characters that nothing separates', () => {
    const bytes = toBase64(SECRET);
    for (const language of ['es', 'fr'])
      expect(toBase64(secretOf(wordsOf(SECRET, listOf(language)).map(plain).join(' '), all()))).toBe(bytes);
    const katakana = wordsOf(SECRET, listOf('ja'))
      .join(' ')
      .replaceAll(/[\u3041-\u3096]/gu, (kana) => String.fromCharCode(kana.charCodeAt(0) + 0x60));
    expect(toBase64(secretOf(katakana, all()))).toBe(bytes);
    for (const language of ['zh-CN', 'zh-TW'])
      expect(toBase64(secretOf(wordsOf(SECRET, listOf(language)).join(''), all()))).toBe(bytes);
  });

  it('does not take the word before a key for its first one', () => {
    // A sixteenth of these pairs has a fitting checksum.
    fc.assert(
      fc.property(anySecret, (secret) => {
        const words = wordsOf(secret, listOf('en')).join(' ');
        expect(toBase64(secretOf(`The link is open. Key: ${words}\nOpen the page.`, all()))).toBe(toBase64(secret));
        expect(toBase64(secretOf(`The link is open. Key:\n${words.replaceAll(' ', '\n')}\nopen the page`, all()))).toBe(
          toBase64(secret),
        );
      }),
    );
  });

  it('finds whole words within a message with a link', () => {
    for (const language of LANGUAGES) {
      const words = joinWords(wordsOf(SECRET, listOf(language)));
      const message = `Some files for you.\n\nLink: https://furoshiki.test/en/download/AAAA\nKey: ${words}\n\nThey are kept until 3 May.`;
      expect(toBase64(secretOf(message, all()))).toBe(toBase64(SECRET));
      expect(toBase64(secretOf(`Key: ${words}`, all()))).toBe(toBase64(SECRET));
    }
  });

  it.each([
    ['a word of no list, with the nearest word', 'hause', 'KEY_WORD_UNKNOWN', ['cause']],
    ['letters that were exchanged', 'winenr', 'KEY_WORD_UNKNOWN', ['winner']],
    ['a word that is like no other', 'xylophone', 'KEY_WORD_UNKNOWN', []],
    ['the beginning of several words', 'ab', 'KEY_WORD_AMBIGUOUS', ['abandon', 'ability', 'able']],
  ])('names %s', (_, word, code, likelyWords) => {
    const words = english();
    words[4] = word;
    const thrown = thrownBy(() => secretOf(words.join(' '), all()));
    expect(thrown).toEqual({ code, message: code, details: { word, likelyWords } });
  });

  it('refuses a wrong checksum', () => {
    // Fifteen of sixteen words in the last place are wrong.
    const words = english().slice(0, 11);
    const accepted = listOf('en').filter(
      (word) => !thrownBy(() => secretOf([...words, word].join(' '), [listOf('en')])),
    );
    expect(accepted).toHaveLength(128);
    const [first = '', second = '', ...rest] = english();
    expect(thrownBy(() => secretOf([second, first, ...rest].join(' '), all()))?.code).toBe('KEY_WORDS_WRONG');
  });

  it.each([1, 11, 13, 24])('refuses %i words', (count) => {
    const words = Array.from({ length: count }, () => 'zoo');
    const thrown = thrownBy(() => secretOf(words.join(' '), all()));
    expect(thrown).toEqual({ code: 'KEY_WORDS_COUNT', message: 'KEY_WORDS_COUNT', details: { count } });
  });

  it('refuses a secret of another length', () => {
    expect(() => wordsOf(new Uint8Array(32), listOf('en'))).toThrowError('KEY_INVALID_LENGTH');
  });
});

describe('the lists', () => {
  it.each(LANGUAGES)('of %s has 2,048 words that stay apart without accents', (language) => {
    const plain = listOf(language).map((word) => word.normalize('NFKD').replaceAll(/[\u0300-\u036F]/gu, ''));
    expect(new Set(plain).size).toBe(2048);
  });

  it('are those of the scripts of a text, that of the language first', async () => {
    expect(await loadWordListsFor('maison', 'fr')).toEqual(['fr', 'en', 'es', 'pt'].map(listOf));
    expect(await loadWordListsFor('あい', 'de')).toEqual([listOf('ja')]);
    expect(await loadWordListsFor('한', 'ko')).toEqual([listOf('ko')]);
    expect(await loadWordListsFor('的', 'zh-TW')).toEqual(['zh-TW', 'zh-CN'].map(listOf));
    expect(await loadWordList('de')).toBe(listOf('en'));
  });
});

describe('while a key is typed', () => {
  it.each([
    ['hause', undefined],
    ['hause ', 'KEY_WORD_UNKNOWN'],
    ['horse tre', undefined],
    ['horse xqz,', 'KEY_WORD_UNKNOWN'],
    ['horse ab c', 'KEY_WORD_AMBIGUOUS'],
    ['maison abeille ', undefined],
    // Each is in a list, but no list has both.
    ['yellow abeille ', 'KEY_WORD_UNKNOWN'],
  ])('%j: %s', (text, code) => {
    expect(problemWhileTyping(text, all())?.code).toBe(code);
  });

  it.each([
    ['hors', ['horse']],
    ['HORS', ['horse']],
    ['legal winner tha', ['thank', 'that']],
    ['legal ', []],
    ['horse', []],
    ['ÉCLAI', ['éclairer']],
    ['abeille maiso', ['maison']],
    ['xq', []],
    ['1. leg', ['leg', 'legal', 'legend']],
  ])('suggests for %j', (text, expected) => {
    expect(suggestionsFor(text, [listOf('en'), listOf('fr')], 3)).toEqual(expected);
  });
});

const plainLists = new Map<WordList, string[]>();
const plain = (text: string) => text.normalize('NFKD').replaceAll(/[\u0300-\u036F]/gu, '');

/** The shortest beginning that only this word of its list has, or the word. */
function shortened(word: string, list: WordList): string {
  const words = plainLists.get(list) ?? list.map(plain);
  plainLists.set(list, words);
  for (let length = 1; length < word.length; length += 1) {
    const beginning = word.slice(0, length);
    if (words.filter((other) => other.startsWith(plain(beginning))).length === 1) return beginning;
  }
  return word;
}
