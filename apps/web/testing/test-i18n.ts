// The real texts of every language, without a server to fetch them from.
import { FALLBACK_LANGUAGE, type Language } from '@furoshiki/texts';
import { messages } from '@furoshiki/texts/messages';
import { createInstance, type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';

export async function createTestI18n(language: Language): Promise<i18n> {
  const instance = createInstance();
  await instance.use(initReactI18next).init({
    lng: language,
    fallbackLng: FALLBACK_LANGUAGE,
    resources: Object.fromEntries(Object.entries(messages).map(([code, translation]) => [code, { translation }])),
    interpolation: { escapeValue: false },
  });
  return instance;
}
