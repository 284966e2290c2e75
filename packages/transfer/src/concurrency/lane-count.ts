// How many parts may be sent at once on a given connection and device.

export type ConnectionQuality = 'slow' | 'medium' | 'fast' | 'unknown';

const LANES: Record<ConnectionQuality, number> = { slow: 2, medium: 5, fast: 8, unknown: 4 };

export interface LaneLimits {
  quality: ConnectionQuality;
  /** Memory limit for all parts that are being sent. Infinity if they are on disk. */
  memoryBytes: number;
  /** How many connections to one server the browser opens. */
  connections: number;
}

/** Measured: the plaintext, the sealed part, and the copies that a browser makes to encrypt and to send. */
const COPIES = 4;

export function laneCount({ quality, memoryBytes, connections }: LaneLimits, partBytes: number): number {
  // One connection stays free: API calls would wait behind the large parts until they time out.
  return Math.min(LANES[quality], partsInMemory(memoryBytes, partBytes), Math.max(1, connections - 1));
}

/** At least one. */
export function partsInMemory(memoryBytes: number, partBytes: number): number {
  return Math.max(1, Math.floor(memoryBytes / (COPIES * partBytes)));
}
