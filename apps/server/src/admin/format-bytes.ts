// Formats sizes for messages to the operator.

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** 1024-based, as everywhere in Furoshiki. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return power === 0 ? `${bytes} bytes` : `${(bytes / 1024 ** power).toFixed(1)} ${UNITS[power] ?? ''}`;
}
