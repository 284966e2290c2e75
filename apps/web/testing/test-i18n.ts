// The real texts of some languages, without a server to fetch them from.
import { FALLBACK_LANGUAGE } from '@furoshiki/texts';
import de from '@furoshiki/texts/de.json';
import en from '@furoshiki/texts/en.json';
import ja from '@furoshiki/texts/ja.json';
import { createInstance, type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';

export type TestLanguage = 'en' | 'de' | 'ja';

export async function createTestI18n(language: TestLanguage): Promise<i18n> {
  const instance = createInstance();
  await instance.use(initReactI18next).init({
    lng: language,
    fallbackLng: FALLBACK_LANGUAGE,
    resources: { de: { translation: de }, en: { translation: en }, ja: { translation: ja } },
    interpolation: { escapeValue: false },
  });
  return instance;
}
