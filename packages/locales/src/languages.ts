// Which languages there are, and which of them a reader gets.

export const languages = ['en', 'ja'] as const;
export type Language = (typeof languages)[number];

export const DEFAULT_LANGUAGE: Language = 'ja';
export const FALLBACK_LANGUAGE: Language = 'en';

/** Each language by its own name. */
export const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', ja: '日本語' };

/** The language that a code such as `en-GB` or `JA` stands for, where we have it. */
export function matchLanguage(code: string): Language | undefined {
  const lower = code.trim().toLowerCase();
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
