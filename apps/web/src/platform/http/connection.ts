// What the browser tells of its connection and its memory, as far as it tells anything.
import { GB, MB } from '@furoshiki/core';
import { type ConnectionQuality, laneCount, partsInMemory } from '@furoshiki/transfer';

/** Not in TypeScript's libraries, because not every browser has them. */
interface NetworkInformation {
  effectiveType?: string;
  /** Mbit/s, told up to 10 and no further. */
  downlink?: number;
  saveData?: boolean;
}

export interface Device {
  connection?: NetworkInformation | undefined;
  /** GB, as a power of two. */
  deviceMemory?: number | undefined;
}

const FAST_MBITS = 5;
/** HTTP/1.1: browsers open six connections to a server. Later versions share one. */
const CONNECTIONS = 6;
const USUAL_MEMORY_GB = 4;
const MAX_MEMORY_BYTES = 350 * MB;
const SHARE_OF_MEMORY = 1 / 12;
/** More do not seal faster on two cores, and take more memory on any number. */
const MAX_SEALERS = 2;

export function qualityOf(connection: NetworkInformation | undefined): ConnectionQuality {
  const { effectiveType, downlink, saveData } = connection ?? {};
  if (effectiveType === undefined) return 'unknown';
  if (effectiveType !== '4g' || saveData) return 'slow';
  return downlink !== undefined && downlink < FAST_MBITS ? 'medium' : 'fast';
}

/** Never more than a small part of what the device has. */
export function memoryFor({ deviceMemory = USUAL_MEMORY_GB }: Device): number {
  return Math.min(deviceMemory * GB * SHARE_OF_MEMORY, MAX_MEMORY_BYTES);
}

/** How many parts may be sent at once, where each waits in memory or on disk. */
export function lanesFor(partBytes: number, isOnDisk: boolean): number {
  const device = navigator as Device;
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const isShared = page?.nextHopProtocol === 'h2' || page?.nextHopProtocol === 'h3';
  return laneCount(
    {
      quality: qualityOf(device.connection),
      memoryBytes: isOnDisk ? Number.POSITIVE_INFINITY : memoryFor(device),
      connections: isShared ? Number.POSITIVE_INFINITY : CONNECTIONS,
    },
    partBytes,
  );
}

/** How many parts may be read and sealed at once, which takes memory wherever they wait then. */
export function sealersFor(partBytes: number): number {
  return Math.min(MAX_SEALERS, partsInMemory(memoryFor(navigator as Device), partBytes));
}
