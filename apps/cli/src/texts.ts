// The texts of this program in the user's language: its own, and those of the screens for errors.
import { FALLBACK_LANGUAGE, type Language, matchLanguage } from '@furoshiki/texts';
import { cliMessages } from '@furoshiki/texts/cli';
import { messages } from '@furoshiki/texts/messages';
import { type CliTextName, createTranslate, type Translate } from '@furoshiki/texts/translate';

export interface Texts {
  language: Language;
  /** A text of this program. */
  t: Translate<CliTextName>;
  /** A text of the screens. */
  screens: Translate;
}

/** LC_ALL wins over LC_MESSAGES, which wins over LANG, as for other programs. */
export function languageOf({ LC_ALL, LC_MESSAGES, LANG }: NodeJS.ProcessEnv): Language {
  const [locale = ''] = (LC_ALL || LC_MESSAGES || LANG || '').split(/[.@]/u);
  return matchLanguage(locale.replaceAll('_', '-')) ?? FALLBACK_LANGUAGE;
}

export function createTexts(language: Language): Texts {
  return {
    language,
    t: createTranslate<CliTextName>(language, cliMessages[language]),
    screens: createTranslate(language, messages[language]),
  };
}
