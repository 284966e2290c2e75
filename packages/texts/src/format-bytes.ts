// Formats byte counts for people, in steps of 1,024.

const BYTES = ['B', 'KB', 'MB', 'GB', 'TB'] as const;
/** French uses octets. */
const OCTETS = ['o', 'Ko', 'Mo', 'Go', 'To'] as const;

/** Creating one takes longer than formatting with it, and a screen has a thousand sizes. */
const formatters = new Map<string, Intl.NumberFormat>();

export function formatBytes(bytes: number, language: string): string {
  const units = language.startsWith('fr') ? OCTETS : BYTES;
  const step = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  return `${formatterOf(language, step === 0 ? 0 : 1).format(bytes / 1024 ** step)}\u00a0${units[step]}`;
}

function formatterOf(language: string, maximumFractionDigits: number): Intl.NumberFormat {
  const name = `${language} ${maximumFractionDigits}`;
  const formatter = formatters.get(name) ?? new Intl.NumberFormat(language, { maximumFractionDigits });
  formatters.set(name, formatter);
  return formatter;
}
