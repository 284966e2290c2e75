// Every text of the screens and of the pages, as it stands in its file: nothing is left in English, and each language has its own
// quotation marks and spaces (docs/GLOSSARY.md).
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Language, languages } from '@furoshiki/locales';
import { messages } from '@furoshiki/locales/messages';
import { describe, expect, it } from 'vitest';

const CONTENT = join(import.meta.dirname, '../content');
const WIDE = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]`;
/** Ideographs and kana take punctuation of their own width, and a space towards digits but for the numbers of articles. */
const WIDE_RULES = [
  // A colon before an address that is to be copied is the one exception: not every program knows where it begins otherwise.
  new RegExp(`${WIDE}(?:[,.;!?()]|:(?! \\{\\{))|[()]${WIDE}`, 'u'),
  new RegExp(`(?!第)${WIDE}\\d|(?<!第\\d*)\\d${WIDE}`, 'u'),
];

function textsOf(language: Language): string[] {
  const folder = join(CONTENT, language);
  const pages = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
  return [...leavesOf(messages[language]), ...pages.map(withoutMarkup)];
}

/** Keywords are a list for machines. */
function leavesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Object.entries(value as object).flatMap(([key, inner]) => (key === 'keywords' ? [] : leavesOf(inner)));
}

/** Of a line of Markdown: no addresses of links, no code, no names of facts. */
function withoutMarkup(line: string): string {
  return line
    .replaceAll(/\]\([^)]*\)/gu, ']')
    .replaceAll(/`[^`]*`/gu, '')
    .replace(/^keywords: .*|^(?:title|description): /u, '');
}

/** Words that no sentence of English does without, and that mean nothing in any of the others. */
const ENGLISH = /(?<!\p{L})(?:the|and|you|your|with|this|that|are|is|of|from|please)(?!\p{L})/iu;

/** What must not be found, by language. */
const WRONG: Record<Language, RegExp[]> = {
  en: [/[„«»]/u],
  de: [/[«»”]|“(?=\w)/u, /\S…/u, /\d%|\}\}%/u],
  es: [/[„“”]/u, /\s…/u, /\}\}%/u],
  // A plain space could leave the sign alone on the next line.
  fr: [/[„“”]/u, /[ \w][;!?»%]/u, /« |[^\u00a0]:(?!\/\/)/u],
  ja: [/[„“”]/u, ...WIDE_RULES],
  ko: [/[„“”「」]/u],
  pt: [/[„«»]/u, /\s…/u, /\s%/u],
  'zh-CN': [/[„「」]/u, ...WIDE_RULES],
  'zh-TW': [/[„“”]/u, ...WIDE_RULES],
};

describe.each(languages)('%s', (language) => {
  const texts = textsOf(language);

  it('has the quotation marks and the spaces of its language', () => {
    // Straight quotes belong to code.
    const wrong = [...WRONG[language], /["']/u];
    expect(texts.filter((text) => wrong.some((pattern) => pattern.test(text)))).toEqual([]);
  });

  it('never parts a number from its unit at the end of a line', () => {
    expect(texts.filter((text) => /(?:\d|\}\}) (?:[GM][Bo]|%)(?!\w)/u.test(text))).toEqual([]);
  });

  if (language === 'en') return;
  it('leaves nothing in English', () => {
    expect(texts.filter((text) => ENGLISH.test(text))).toEqual([]);
  });
});

/** Every sign that two bytes make in an encoding, from a row on and from a column on. */
function signsOf(encoding: string, fromRow: number, fromColumn: number): Set<string> {
  const decoder = new TextDecoder(encoding);
  const signs = new Set<string>();
  for (let row = fromRow; row <= 0xf9; row += 1)
    for (let column = fromColumn; column <= 0xfe; column += 1) signs.add(decoder.decode(Uint8Array.of(row, column)));
  return signs;
}

// Big5 was made for traditional characters, GB 2312 for simplified ones: that is GBK without its later rows and columns.
it.each([
  ['zh-CN', 'gbk', 0xb0, 0xa1],
  ['zh-TW', 'big5', 0xa4, 0x40],
] as const)('%s is written in the characters of its readers', (language, encoding, fromRow, fromColumn) => {
  const signs = signsOf(encoding, fromRow, fromColumn);
  const used =
    textsOf(language)
      .join('')
      .match(/\p{Script=Han}/gu) ?? [];
  expect(used.length).toBeGreaterThan(5000);
  expect([...new Set(used)].filter((sign) => !signs.has(sign))).toEqual([]);
});
