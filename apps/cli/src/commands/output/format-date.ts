// A date and time as people in a language write it.

export function formatDate(date: string | number, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(date));
}
