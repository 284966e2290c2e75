import { MB } from '@furoshiki/core';
import { describe, expect, it } from 'vitest';
import { memoryFor, qualityOf } from './connection.ts';

describe('a connection', () => {
  it.each([
    [undefined, 'unknown'],
    [{}, 'unknown'],
    [{ effectiveType: 'slow-2g', downlink: 10 }, 'slow'],
    [{ effectiveType: '2g', downlink: 10 }, 'slow'],
    [{ effectiveType: '3g', downlink: 10 }, 'slow'],
    [{ effectiveType: '4g', downlink: 10, saveData: true }, 'slow'],
    [{ effectiveType: '4g', downlink: 4.9 }, 'medium'],
    [{ effectiveType: '4g', downlink: 5 }, 'fast'],
    [{ effectiveType: '4g' }, 'fast'],
  ])('that says %o is %s', (told, quality) => {
    expect(qualityOf(told)).toBe(quality);
  });
});

it.each([
  [undefined, 256],
  [0.5, 32],
  [2, 128],
  [4, 256],
  [8, 300],
  [32, 300],
])('a device of %s GB gives %d MB to parts under way', (deviceMemory, megabytes) => {
  expect(memoryFor({ deviceMemory })).toBe(megabytes * MB);
});
