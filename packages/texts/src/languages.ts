// The supported languages, and the choice of one for a user.

/** Each with its name in that language, and with a region as Open Graph wants it. messages.ts has its texts. */
export const LANGUAGES = {
  en: { name: 'English', openGraphLocale: 'en_US' },
  de: { name: 'Deutsch', openGraphLocale: 'de_DE' },
  es: { name: 'Español', openGraphLocale: 'es_ES' },
  fr: { name: 'Français', openGraphLocale: 'fr_FR' },
  ja: { name: '日本語', openGraphLocale: 'ja_JP' },
  ko: { name: '한국어', openGraphLocale: 'ko_KR' },
  pt: { name: 'Português (Brasil)', openGraphLocale: 'pt_BR' },
  'zh-CN': { name: '简体中文', openGraphLocale: 'zh_CN' },
  'zh-TW': { name: '繁體中文', openGraphLocale: 'zh_TW' },
} as const;
export type Language = keyof typeof LANGUAGES;
export const languages = Object.keys(LANGUAGES) as readonly Language[];

/** For a user none of whose languages is supported. */
export const DEFAULT_LANGUAGE: Language = 'ja';
/** For a text that is missing in the chosen language. */
export const FALLBACK_LANGUAGE: Language = 'en';

/** Codes with the traditional script, or with a region that uses it. Other Chinese codes mean the simplified one. */
const TRADITIONAL_CHINESE = /^zh-(?:hant|tw|hk|mo)(?:-|$)/u;

/** Returns the supported language for a code such as `en-GB` or `JA`, or undefined. */
export function matchLanguage(code: string): Language | undefined {
  const lower = code.trim().toLowerCase();
  if (/^zh(?:-|$)/u.test(lower)) return TRADITIONAL_CHINESE.test(lower) ? 'zh-TW' : 'zh-CN';
  return languages.find((language) => `${lower}-`.startsWith(`${language.toLowerCase()}-`));
}

/** Returns the supported language with the highest weight in an Accept-Language header, or the default language. */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  const entries = (acceptLanguage ?? '').split(',').map((entry, order) => {
    const [code = '', ...parameters] = entry.split(';');
    const weight = parameters.find((parameter) => parameter.trim().startsWith('q='));
    return { code, weight: weight === undefined ? 1 : Number(weight.trim().slice(2)) || 0, order };
  });
  const best = entries
    .filter((entry) => entry.weight > 0 && matchLanguage(entry.code))
    .toSorted((a, b) => b.weight - a.weight || a.order - b.order)[0];
  return (best && matchLanguage(best.code)) ?? DEFAULT_LANGUAGE;
}
