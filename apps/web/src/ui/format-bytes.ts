// Formats byte counts for people, in steps of 1,024.

const BYTES = ['B', 'KB', 'MB', 'GB', 'TB'] as const;
/** French uses octets. */
const OCTETS = ['o', 'Ko', 'Mo', 'Go', 'To'] as const;

export function formatBytes(bytes: number, language: string): string {
  const units = language.startsWith('fr') ? OCTETS : BYTES;
  const step = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: step === 0 ? 0 : 1 });
  return `${number.format(bytes / 1024 ** step)} ${units[step]}`;
}
