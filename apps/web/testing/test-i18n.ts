// The real texts of every language, without a server to fetch them from.
import { FALLBACK_LANGUAGE, type Language } from '@furoshiki/texts';
import { createI18n, type I18n } from '@furoshiki/texts/i18n';
import { messages } from '@furoshiki/texts/messages';

export const createTestI18n = (language: Language): Promise<I18n> =>
  createI18n(language, FALLBACK_LANGUAGE, async (code) => messages[code]);
