// Limits of a transfer (lanes, sealing workers), from what the browser reports about its connection and memory.
import { GB, MB } from '@furoshiki/format';
import { type ConnectionQuality, laneCount, partsInMemory } from '@furoshiki/transfer';

/** Not in TypeScript's libraries, because not every browser has it. */
interface NetworkInformation {
  effectiveType?: string;
  /** Mbit/s, at most 10. */
  downlink?: number;
  saveData?: boolean;
}

export interface Device {
  connection?: NetworkInformation | undefined;
  /** GB, as a power of two. */
  deviceMemory?: number | undefined;
}

const FAST_MBITS = 5;
/** Browsers open six HTTP/1.1 connections to a server. Later versions share one connection. */
const CONNECTIONS = 6;
const USUAL_MEMORY_GB = 4;
const MAX_MEMORY_BYTES = 350 * MB;
const SHARE_OF_MEMORY = 1 / 12;
/** More do not seal faster on two cores, and take more memory. */
const MAX_SEALERS = 2;

export function qualityOf(connection: NetworkInformation | undefined): ConnectionQuality {
  const { effectiveType, downlink, saveData } = connection ?? {};
  if (effectiveType === undefined) return 'unknown';
  if (effectiveType !== '4g' || saveData) return 'slow';
  return downlink !== undefined && downlink < FAST_MBITS ? 'medium' : 'fast';
}

/** A small share of the device's memory. */
export function memoryFor({ deviceMemory = USUAL_MEMORY_GB }: Device): number {
  return Math.min(deviceMemory * GB * SHARE_OF_MEMORY, MAX_MEMORY_BYTES);
}

/** Returns how many parts may be sent at once, if each waits in memory or on disk. */
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

export const partsInMemoryOf = (partBytes: number): number => partsInMemory(memoryFor(navigator as Device), partBytes);

/** Returns how many parts may be read and sealed at once, which takes memory in any case. */
export const sealersFor = (partBytes: number): number => Math.min(MAX_SEALERS, partsInMemoryOf(partBytes));
