// Checks all texts of the screens, the command line client and the content pages: no text is left in English, and each language uses its own
// quotation marks and spaces (docs/GLOSSARY.md).
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Language, languages } from '@furoshiki/texts';
import { cliMessages, messages } from '@furoshiki/texts/messages';
import { describe, expect, it } from 'vitest';

const CONTENT = join(import.meta.dirname, '../content');
const WIDE = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]`;
/** Ideographs and kana need full-width punctuation, and a space next to digits, except in the numbers of articles. */
const WIDE_RULES = [
  // A colon before a placeholder for a link is the only exception, because some programs would include a full-width
  // colon in the link.
  new RegExp(`${WIDE}(?:[,.;!?()]|:(?! \\{\\{))|[()]${WIDE}`, 'u'),
  new RegExp(`(?!第)${WIDE}\\d|(?<!第\\d*)\\d${WIDE}`, 'u'),
];

function textsOf(language: Language): string[] {
  const folder = join(CONTENT, language);
  const pages = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
  const cli = leavesOf(cliMessages[language]).map(withoutCommands);
  return [...leavesOf(messages[language]), ...cli, ...pages.map(withoutMarkup)];
}

/** Skips keywords, because they are a list for machines. */
function leavesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Object.entries(value as object).flatMap(([key, inner]) => (key === 'keywords' ? [] : leavesOf(inner)));
}

/** Removes what a person types: a command after a colon, options, their values and addresses. */
function withoutCommands(text: string): string {
  return text.replaceAll(/(?:furoshiki|npm run) .*|--[a-z-]+|<[a-z]+>|https?:\S+|\[[a-z]\/N\] /gu, '');
}

/** Removes link targets, code and property names from a line of Markdown. */
function withoutMarkup(line: string): string {
  return line
    .replaceAll(/\]\([^)]*\)/gu, ']')
    .replaceAll('![', '[')
    .replaceAll(/`[^`]*`/gu, '')
    .replace(/^keywords: .*|^(?:title|description): /u, '');
}

/** Words that most English sentences contain and that no other supported language has. */
const ENGLISH = /(?<!\p{L})(?:the|and|you|your|with|this|that|are|is|of|from|please)(?!\p{L})/iu;

/** Patterns that must not occur, by language. */
const WRONG: Record<Language, RegExp[]> = {
  en: [/[„«»]/u],
  de: [/[«»”]|“(?=\w)/u, /\S…/u, /\d%|\}\}%/u],
  es: [/[„“”]/u, /\s…/u, /\}\}%/u],
  // A normal space would allow a line break before the punctuation mark.
  fr: [/[„“”]/u, /[^\u202f][;!?»%]|«[^\u202f]/u, /[^\u00a0]:(?!\/\/)/u],
  ja: [/[„“”]/u, ...WIDE_RULES],
  ko: [/[„“”「」]/u],
  pt: [/[„«»]/u, /\s…/u, /\s%/u],
  'zh-CN': [/[„「」]/u, ...WIDE_RULES],
  'zh-TW': [/[„“”]/u, ...WIDE_RULES],
};

describe.each(languages)('%s', (language) => {
  const texts = textsOf(language);

  it('uses the quotation marks and spaces of its language', () => {
    // Straight quotes are only correct in code.
    const wrong = [...WRONG[language], /["']/u];
    expect(texts.filter((text) => wrong.some((pattern) => pattern.test(text)))).toEqual([]);
  });

  it('does not allow a line break between a number and its unit', () => {
    expect(texts.filter((text) => /(?:\d|\}\}) (?:[GM][Bo]|%|s)(?!\w)/u.test(text))).toEqual([]);
  });

  if (language === 'en') return;
  it('has no untranslated text', () => {
    expect(texts.filter((text) => ENGLISH.test(text))).toEqual([]);
  });
});

/** Returns all characters of a two-byte encoding, starting at a row and a column. */
function charactersOf(encoding: string, fromRow: number, fromColumn: number): Set<string> {
  const decoder = new TextDecoder(encoding);
  const characters = new Set<string>();
  for (let row = fromRow; row <= 0xf9; row += 1)
    for (let column = fromColumn; column <= 0xfe; column += 1)
      characters.add(decoder.decode(Uint8Array.of(row, column)));
  return characters;
}

// Big5 contains the traditional characters. GB 2312, the first rows and columns of GBK, contains the simplified ones.
it.each([
  ['zh-CN', 'gbk', 0xb0, 0xa1],
  ['zh-TW', 'big5', 0xa4, 0x40],
] as const)('%s contains only the characters of its script', (language, encoding, fromRow, fromColumn) => {
  const characters = charactersOf(encoding, fromRow, fromColumn);
  const used =
    textsOf(language)
      .join('')
      .match(/\p{Script=Han}/gu) ?? [];
  expect(used.length).toBeGreaterThan(5000);
  expect([...new Set(used)].filter((character) => !characters.has(character))).toEqual([]);
});
