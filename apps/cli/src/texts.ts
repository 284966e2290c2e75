// The texts of this program in the user's language: its own, and those of the screens for errors.
import { FALLBACK_LANGUAGE, type Language, matchLanguage } from '@furoshiki/texts';
import { cliMessages, type CliMessages } from '@furoshiki/texts/cli';
import { messages } from '@furoshiki/texts/messages';
import { createInstance, type TFunction } from 'i18next';

type Leaves<T, Prefix extends string = ''> = {
  [K in keyof T & string]: T[K] extends string ? `${Prefix}${K}` : Leaves<T[K], `${Prefix}${K}.`>;
}[keyof T & string];
type WithoutPlural<K extends string> = K extends `${infer Base}_one` | `${infer Base}_other` ? Base : K;
/** The name of a text. */
export type CliText = WithoutPlural<Leaves<CliMessages>>;

export interface Texts {
  language: Language;
  /** A text of this program. */
  t(name: CliText, values?: Record<string, string | number>): string;
  /** A text of the screens. */
  screens: TFunction;
}

/** LC_ALL wins over LC_MESSAGES, which wins over LANG, as for other programs. */
export function languageOf({ LC_ALL, LC_MESSAGES, LANG }: NodeJS.ProcessEnv): Language {
  const [locale = ''] = (LC_ALL || LC_MESSAGES || LANG || '').split(/[.@]/u);
  return matchLanguage(locale.replaceAll('_', '-')) ?? FALLBACK_LANGUAGE;
}

export async function createTexts(language: Language): Promise<Texts> {
  const i18n = createInstance();
  await i18n.init({
    lng: language,
    resources: { [language]: { cli: cliMessages[language], screens: messages[language] } },
    ns: ['cli', 'screens'],
    interpolation: { escapeValue: false },
  });
  const t = i18n.getFixedT(language, 'cli') as (name: string, values: object) => string;
  return {
    language,
    t: (name, values = {}) => t(name, values),
    screens: i18n.getFixedT(language, 'screens') as unknown as TFunction,
  };
}
