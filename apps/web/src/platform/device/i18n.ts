// The language: from the path, the stored choice, the browser or the page, in this order. Its texts are fetched.
import { parsePath } from '@furoshiki/site';
import { DEFAULT_LANGUAGE, FALLBACK_LANGUAGE, type Language, languages, matchLanguage } from '@furoshiki/texts';
import { createI18n, type I18n } from '@furoshiki/texts/i18n';
import type { Messages } from '@furoshiki/texts/messages';
import { openStorage } from './settings.ts';
import { currentPath } from './site.ts';

/** The URL of each language's texts, by the path of the file. */
const TEXTS_URL = import.meta.glob<string>('../../../../../packages/texts/src/*.json', {
  query: '?url',
  import: 'default',
  eager: true,
});
const textsUrl = (language: Language) => TEXTS_URL[`../../../../../packages/texts/src/${language}.json`] ?? '';

/** Without texts there is no page, so they are requested again, for eleven seconds. */
const RETRY_DELAYS_MS = [350, 700, 1400, 2800, 5600];

/** In development, `?pseudo` makes every text longer and adds accents. A text that stays plain is not translated. */
const isPseudo = import.meta.env.DEV && new URLSearchParams(location.search).has('pseudo');
const pseudo = (text: string) =>
  `⟦${text.replaceAll(/\{\{[^}]*\}\}|[aeiou]/gu, (found) => (found.length > 1 ? found : `${found}\u0301${found}`))}⟧`;

async function fetchTexts(language: Language): Promise<Messages> {
  const response = await fetch(textsUrl(language));
  // The body of an error response is JSON too, for example if an upgrade has removed the old file.
  if (!response.ok) throw new Error(`fetching the texts returned ${response.status}`);
  return JSON.parse(await response.text(), (_, value: unknown) =>
    isPseudo && typeof value === 'string' ? pseudo(value) : value,
  ) as Messages;
}

async function loadTexts(language: Language): Promise<Messages> {
  for (const delayMs of RETRY_DELAYS_MS) {
    try {
      return await fetchTexts(language);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
  return fetchTexts(language);
}

/** Where the last language is stored. The name is that of an earlier version. */
const LANGUAGE_KEY = 'i18nextLng';

function detectLanguage(): Language {
  const codes = [
    parsePath(currentPath(), languages).language,
    openStorage().getItem(LANGUAGE_KEY),
    ...navigator.languages,
    document.documentElement.lang,
  ];
  return codes.map((code) => matchLanguage(code ?? '')).find((language) => language !== undefined) ?? DEFAULT_LANGUAGE;
}

/**
 * True on the first visit of a browser that asks only for languages that we lack. Must be called before the start, which
 * stores a language.
 */
export function lacksLanguageOfBrowser(): boolean {
  const isFirstVisit = openStorage().getItem(LANGUAGE_KEY) === null;
  return isFirstVisit && navigator.languages.every((code) => matchLanguage(code) === undefined);
}

export async function startI18n(): Promise<I18n> {
  const i18n = await createI18n(detectLanguage(), FALLBACK_LANGUAGE, loadTexts);
  const store = () => openStorage().setItem(LANGUAGE_KEY, i18n.get().language);
  store();
  i18n.subscribe(store);
  return i18n;
}
