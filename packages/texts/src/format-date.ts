// Formats dates for people.
import type { Language } from './languages.ts';

/** Engines write the halves of the day differently in these languages, and in zh-TW a 24-hour clock changes the date too. */
const WITHOUT_HALVES: ReadonlySet<string> = new Set<Language>(['ko', 'zh-TW']);

/** The date and the time of day. The locale may be a regional variant of the language. */
export function formatDateTime(
  at: Date | number,
  { language, locale = language, dateStyle }: { language: string; locale?: string; dateStyle: 'long' | 'medium' },
): string {
  if (!WITHOUT_HALVES.has(language))
    return firstOf(language, new Intl.DateTimeFormat(locale, { dateStyle, timeStyle: 'short' }).format(at));
  const date = new Intl.DateTimeFormat(locale, { dateStyle }).format(at);
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return `${date} ${new Intl.DateTimeFormat(locale, clock).format(at)}`;
}

/** In French, the first day of a month is an ordinal, which Intl does not know. */
export function firstOf(language: string, date: string): string {
  return language === 'fr' ? date.replace(/^1 /u, '1ᵉʳ ') : date;
}

/** A day such as 2026-01-31, written out. */
export function dayIn(language: string, day: string): string {
  // Written as in the English texts: 1 March 2025.
  const locale = language === 'en' ? 'en-GB' : language;
  return firstOf(
    language,
    new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(day)),
  );
}
