// i18next: texts loaded by language, the language from the path, the stored choice, the browser or the page, in this order.
import { placeOf } from '@furoshiki/core';
import { FALLBACK_LANGUAGE, type Language, languages, matchLanguage } from '@furoshiki/locales';
import deUrl from '@furoshiki/locales/de.json?url';
import enUrl from '@furoshiki/locales/en.json?url';
import esUrl from '@furoshiki/locales/es.json?url';
import frUrl from '@furoshiki/locales/fr.json?url';
import jaUrl from '@furoshiki/locales/ja.json?url';
import koUrl from '@furoshiki/locales/ko.json?url';
import type { Messages } from '@furoshiki/locales/messages';
import ptUrl from '@furoshiki/locales/pt.json?url';
import zhCNUrl from '@furoshiki/locales/zh-CN.json?url';
import zhTWUrl from '@furoshiki/locales/zh-TW.json?url';
import i18next, { type i18n } from 'i18next';
import LanguageDetector from 'i18next-browser-languagedetector';
import HttpBackend from 'i18next-http-backend';
import { initReactI18next } from 'react-i18next';
import { currentPath } from './site.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: Messages };
  }
}

const TEXTS_URL: Record<Language, string> = {
  en: enUrl,
  de: deUrl,
  es: esUrl,
  fr: frUrl,
  ja: jaUrl,
  ko: koUrl,
  pt: ptUrl,
  'zh-CN': zhCNUrl,
  'zh-TW': zhTWUrl,
};

export async function startI18n(): Promise<i18n> {
  const detector = new LanguageDetector();
  detector.addDetector({ name: 'place', lookup: () => placeOf(currentPath(), languages).language });
  await i18next
    .use(HttpBackend)
    .use(detector)
    .use(initReactI18next)
    .init({
      supportedLngs: languages,
      fallbackLng: FALLBACK_LANGUAGE,
      load: 'currentOnly',
      interpolation: { escapeValue: false },
      backend: { loadPath: ([language]: readonly string[]) => TEXTS_URL[language as Language] },
      detection: {
        order: ['place', 'localStorage', 'navigator', 'htmlTag'],
        caches: ['localStorage'],
        // What is none of ours counts as not said, so that the next place is asked.
        convertDetectedLanguage: (code) => matchLanguage(code) ?? '',
      },
    });
  return i18next;
}
