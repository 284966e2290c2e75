// Starts i18next. The language comes from the path, the stored choice, the browser or the page, in this order.
import { parsePath } from '@furoshiki/site';
import { FALLBACK_LANGUAGE, type Language, languages, matchLanguage } from '@furoshiki/texts';
import type { Messages } from '@furoshiki/texts/messages';
import i18next from 'i18next';
import type {
  BackendModule,
  i18n,
  LanguageDetectorModule,
  PostProcessorModule,
  ReadCallback,
  ResourceKey,
} from 'i18next';
import { initReactI18next } from 'react-i18next';
import { openStorage } from './settings.ts';
import { currentPath } from './site.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: Messages };
  }
}

/** The URL of each language's texts, by the path of the file. */
const TEXTS_URL = import.meta.glob<string>('../../../../../packages/texts/src/*.json', {
  query: '?url',
  import: 'default',
  eager: true,
});
const textsUrl = (language: Language) => TEXTS_URL[`../../../../../packages/texts/src/${language}.json`] ?? '';

/** Fetches the texts of a language. The usual HTTP backend does much more, and would add 2.5 KB to the first load. */
const textsBackend: BackendModule = {
  type: 'backend',
  init: () => undefined,
  read: (language, _namespace, callback) => void readTexts(language as Language, callback),
};

async function readTexts(language: Language, callback: ReadCallback): Promise<void> {
  try {
    const response = await fetch(textsUrl(language));
    // The body of an error response is JSON too, for example if an upgrade has removed the old file.
    if (!response.ok) throw new Error(`fetching the texts returned ${response.status}`);
    callback(null, (await response.json()) as ResourceKey);
  } catch (thrown) {
    // `true`: i18next tries again, five times within eleven seconds. Without texts the page would show their keys.
    callback(thrown as Error, true);
  }
}

/** Where the last language is stored. The name is that of i18next's own detector, which earlier versions used. */
const LANGUAGE_KEY = 'i18nextLng';

/** i18next's own detector knows many more places, and would add 2 KB to the first load. */
function createDetector(): LanguageDetectorModule {
  const storage = openStorage();
  return {
    type: 'languageDetector',
    detect() {
      const codes = [
        parsePath(currentPath(), languages).language,
        storage.getItem(LANGUAGE_KEY),
        ...navigator.languages,
        document.documentElement.lang,
      ];
      return codes.map((code) => matchLanguage(code ?? '')).find((language) => language !== undefined);
    },
    cacheUserLanguage: (language) => storage.setItem(LANGUAGE_KEY, language),
  };
}

/**
 * True on the first visit of a browser that asks only for languages that we lack. Must be called before the start, which
 * stores a language.
 */
export function lacksLanguageOfBrowser(): boolean {
  const isFirstVisit = openStorage().getItem(LANGUAGE_KEY) === null;
  return isFirstVisit && navigator.languages.every((code) => matchLanguage(code) === undefined);
}

/** In development, `?pseudo` makes every text longer and adds accents. A text that stays plain is not translated. */
const PSEUDO: PostProcessorModule = {
  type: 'postProcessor',
  name: 'pseudo',
  process: (text: string) => `⟦${text.replaceAll(/[aeiou]/gu, (vowel) => `${vowel}\u0301${vowel}`)}⟧`,
};
const isPseudo = import.meta.env.DEV && new URLSearchParams(location.search).has('pseudo');

export async function startI18n(): Promise<i18n> {
  await i18next
    .use(textsBackend)
    .use(createDetector())
    .use(initReactI18next)
    .use(PSEUDO)
    .init({
      supportedLngs: languages,
      fallbackLng: FALLBACK_LANGUAGE,
      load: 'currentOnly',
      ...(isPseudo ? { postProcess: PSEUDO.name } : {}),
      interpolation: { escapeValue: false },
    });
  return i18next;
}
