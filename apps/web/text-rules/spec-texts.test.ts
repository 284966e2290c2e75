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

it.each(languages.filter((language) => language !== 'ko'))('the terms in %s name the court of Tokyo', (language) => {
  expect(page(language, 'terms')).toMatch(/Tokyo|Tokio|Tóquio|東京地方裁判所|东京地方/u);
});

it('the terms in Korean name the law of Korea and the court of Seoul', () => {
  expect(page('ko', 'terms')).toMatch(/대한민국 법/u);
  expect(page('ko', 'terms')).toContain('서울중앙지방법원');
});

it.each(languages)('the footer in %s has the year 2025', (language) => {
  expect(messages[language].app.copyright).toContain('2025');
});

it('no text of the screens promises seven days', () => {
  expect(JSON.stringify(messages.en)).not.toMatch(/\b(?:7|seven) days/iu);
});
