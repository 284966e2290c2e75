// What the specification says about texts: dates, law and promises.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Language, languages } from '@furoshiki/texts';
import { messages } from '@furoshiki/texts/messages';
import { expect, it } from 'vitest';

const page = (language: Language, name: string) =>
  readFileSync(join(import.meta.dirname, '../content', language, `${name}.md`), 'utf8');

it.each(languages)('the legal pages in %s have the date of 1 March 2025', (language) => {
  const date =
    /1 March 2025|1\. März 2025|1\.?º? de mar[zç]o de 2025|1ᵉʳ mars 2025|2025 ?年 ?3 ?月 ?1 ?日|2025년 3월 1일/u;
  for (const name of ['privacy', 'terms']) expect(page(language, name).replaceAll('\u00a0', ' ')).toMatch(date);
});

it.each(languages.filter((language) => language !== 'ko'))(
  'the terms in %s name the law of Japan and the court of Tokyo',
  (language) => {
    expect(page(language, 'terms')).toMatch(
      /!\[[^\]]*(?:Japan|Japón|japonais|Japão|日本)[^\]]*\]\(live:operator-law\)/u,
    );
    expect(page(language, 'terms')).toMatch(
      /!\[[^\]]*(?:Tokyo|Tokio|Tóquio|東京地方|东京地方)[^\]]*\]\(live:operator-court\)/u,
    );
  },
);

it('the terms in Korean name the law of Korea and the court of Seoul', () => {
  expect(page('ko', 'terms')).toMatch(/대한민국 법/u);
  expect(page('ko', 'terms')).toContain('서울중앙지방법원');
});

// A year would be out of date after New Year, or make two builds of one commit differ.
it.each(languages)('the footer in %s has a copyright line without a year', (language) => {
  expect(messages[language].app.copyright).toBe('© Furoshiki');
});

it.each(languages)('no text of the screens in %s promises seven days', (language) => {
  const sevenDays =
    /\b(?:7|seven|sieben|sept|siete|sete)\s(?:days|Tage|jours|días|dias)|(?:7|七)\s?(?:日|天|일)|일주일|一週間|一周|一週/iu;
  expect(JSON.stringify(messages[language])).not.toMatch(sevenDays);
});
