// Which languages there are, and which of them a reader gets.

export const languages = ['en', 'de', 'es', 'fr', 'ja', 'ko', 'pt', 'zh-CN', 'zh-TW'] as const;
export type Language = (typeof languages)[number];

export const DEFAULT_LANGUAGE: Language = 'ja';
export const FALLBACK_LANGUAGE: Language = 'en';

/** Each language by its own name. */
export const LANGUAGE_NAMES: Record<Language, string> = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  ja: '日本語',
  ko: '한국어',
  pt: 'Português',
  'zh-CN': '简体中文',
  'zh-TW': '繁體中文',
};

/** Chinese is told apart by its script; where a code names a place instead, these write the traditional one. */
const TRADITIONAL_CHINESE = /^zh-(?:hant|tw|hk|mo)(?:-|$)/u;

/** The language that a code such as `en-GB` or `JA` stands for, where we have it. */
export function matchLanguage(code: string): Language | undefined {
  const lower = code.trim().toLowerCase();
  if (/^zh(?:-|$)/u.test(lower)) return TRADITIONAL_CHINESE.test(lower) ? 'zh-TW' : 'zh-CN';
  return languages.find((language) => lower === language || lower.startsWith(`${language}-`));
}

/** The best of an Accept-Language header, by its weights; the default where it names none of ours. */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  const wishes = (acceptLanguage ?? '').split(',').map((wish, order) => {
    const [code = '', ...parameters] = wish.split(';');
    const weight = parameters.find((parameter) => parameter.trim().startsWith('q='));
    return { code, weight: weight === undefined ? 1 : Number(weight.trim().slice(2)) || 0, order };
  });
  const best = wishes
    .filter((wish) => wish.weight > 0 && matchLanguage(wish.code))
    .toSorted((a, b) => b.weight - a.weight || a.order - b.order)[0];
  return (best && matchLanguage(best.code)) ?? DEFAULT_LANGUAGE;
}
