// How many parts may be under way at once on a given connection and device.

export type ConnectionQuality = 'slow' | 'medium' | 'fast' | 'unknown';

const LANES: Record<ConnectionQuality, number> = { slow: 2, medium: 5, fast: 8, unknown: 4 };

export interface LaneLimits {
  quality: ConnectionQuality;
  /** What parts under way may take altogether. Infinity where they are on disk. */
  memoryBytes: number;
  /** How many connections to one server there may be. */
  connections: number;
}

/** As measured: read and sealed, each freed as soon as it can be, and the copies that a browser makes to encrypt and to send. */
const COPIES = 4;

export function laneCount({ quality, memoryBytes, connections }: LaneLimits, partBytes: number): number {
  // One connection stays free, or the small calls would wait behind the large parts until they time out.
  return Math.min(LANES[quality], partsInMemory(memoryBytes, partBytes), Math.max(1, connections - 1));
}

/** One at least: less cannot be done. */
export function partsInMemory(memoryBytes: number, partBytes: number): number {
  return Math.max(1, Math.floor(memoryBytes / (COPIES * partBytes)));
}
