import { MB } from '@furoshiki/format';
import { expect, it } from 'vitest';
import { type ConnectionQuality, laneCount, partsInMemory } from './lane-count.ts';

const plenty = { memoryBytes: Number.POSITIVE_INFINITY, connections: Number.POSITIVE_INFINITY };

it.each<[ConnectionQuality, number]>([
  ['slow', 2],
  ['medium', 5],
  ['fast', 8],
  ['unknown', 4],
])('allows, for a %s connection, %d lanes', (quality, lanes) => {
  expect(laneCount({ ...plenty, quality }, 25 * MB)).toBe(lanes);
});

it.each([
  [5, 8],
  [25, 3],
  [50, 1],
  [1000, 1],
])('keeps parts of %d MB, each four times in memory, within 350 MB with %d lanes', (partMb, lanes) => {
  expect(laneCount({ ...plenty, quality: 'fast', memoryBytes: 350 * MB }, partMb * MB)).toBe(lanes);
  expect(Math.min(partsInMemory(350 * MB, partMb * MB), 8)).toBe(lanes);
});

it('leaves one connection free', () => {
  expect(laneCount({ ...plenty, quality: 'fast', connections: 6 }, 1)).toBe(5);
});
