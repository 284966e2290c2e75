import { MB } from '@furoshiki/format';
import { describe, expect, it } from 'vitest';
import { memoryFor, qualityOf } from './transfer-limits.ts';

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
  ])('that reports %o is %s', (reported, quality) => {
    expect(qualityOf(reported)).toBe(quality);
  });
});

it.each([
  [undefined, 341],
  [0.5, 42],
  [2, 170],
  [4, 341],
  [8, 350],
  [32, 350],
])('on a device of %s GB, parts in progress may take %d MB', (deviceMemory, megabytes) => {
  expect(Math.floor(memoryFor({ deviceMemory }) / MB)).toBe(megabytes);
});
