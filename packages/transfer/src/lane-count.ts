// How many parts may be under way at once on a given connection and device.

export type ConnectionQuality = 'slow' | 'medium' | 'fast' | 'unknown';

const LANES: Record<ConnectionQuality, number> = { slow: 2, medium: 5, fast: 8, unknown: 4 };

export interface LaneLimits {
  quality: ConnectionQuality;
  /** What parts under way may take altogether. */
  memoryBytes: number;
  /** How many connections to one server there may be. */
  connections: number;
}

/** A part is in memory twice while it is worked on: as it was read and as it is sealed. */
export function laneCount({ quality, memoryBytes, connections }: LaneLimits, partBytes: number): number {
  const inMemory = Math.floor(memoryBytes / (2 * partBytes));
  // One connection stays free, or the small calls would wait behind the large parts until they time out.
  return Math.max(1, Math.min(LANES[quality], inMemory, connections - 1));
}
