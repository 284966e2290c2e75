import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GB, MB } from './limits.ts';
import {
  checkedPlanOfChunks,
  MAX_CHUNK_BYTES,
  MAX_PARTS,
  plainRange,
  planOfChunks,
  planParts,
  sealedRange,
  storedRange,
  storedSize,
} from './plan.ts';

describe('planParts', () => {
  it.each([
    // fileSize, chunkSize, count
    [1, 25 * MB, 1],
    [25 * MB - 1, 25 * MB, 1],
    [25 * MB, 25 * MB, 1],
    [25 * MB + 1, 25 * MB, 2],
    [10 * GB, 25 * MB, 410],
    [10 * GB + 1, 50 * MB, 205],
    [100 * GB, 50 * MB, 2048],
    [100 * GB + 1, 100 * MB, 1025],
    [MAX_PARTS * 100 * MB, 100 * MB, MAX_PARTS],
    [MAX_PARTS * 100 * MB + 1, 100 * MB + 1, 9500],
    [5000 * GB, Math.ceil((5000 * GB) / MAX_PARTS), MAX_PARTS],
  ])('cuts %i bytes into parts of %i: %i of them', (fileSize, chunkSize, count) => {
    expect(planParts(fileSize)).toEqual({ fileSize, chunkSize, count });
  });

  it.each([
    [GB, 1, 5 * MB],
    [GB, 5 * MB - 1, 5 * MB],
    [GB, 6 * MB, 6 * MB],
    [MAX_PARTS * 5 * MB, 5 * MB, 5 * MB],
    [MAX_PARTS * 5 * MB + 1, 5 * MB, 5 * MB + 1],
  ])('uses parts of the allowed size: %i bytes, wanted %i, used %i', (fileSize, wish, chunkSize) => {
    expect(planParts(fileSize, wish).chunkSize).toBe(chunkSize);
  });

  it('never exceeds 9,500 parts, never goes below 5 MB, and covers the file', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e15 }), fc.integer({ min: 1, max: 200 * MB }), (fileSize, wish) => {
        const plan = planParts(fileSize, wish);
        expect(plan.count).toBeLessThanOrEqual(MAX_PARTS);
        expect(plan.chunkSize).toBeGreaterThanOrEqual(5 * MB);
        expect(plainRange(plan, plan.count - 1).end).toBe(fileSize);
      }),
    );
  });
});

describe('a chunk size that a server names', () => {
  it.each([
    [1, 1],
    [GB, MAX_CHUNK_BYTES],
    [MAX_PARTS, 1],
  ])('is accepted for %i bytes: %i', (fileSize, chunkSize) => {
    expect(checkedPlanOfChunks(fileSize, chunkSize)).toEqual(planOfChunks(fileSize, chunkSize));
  });

  it.each([
    [GB, MAX_CHUNK_BYTES + 1],
    [MAX_PARTS + 1, 1],
    [10, 0],
    [10, -1],
    [10, 2.5],
    [10, Number.NaN],
    [0, 1],
  ])('is refused for %d bytes: %d', (fileSize, chunkSize) => {
    expect(() => checkedPlanOfChunks(fileSize, chunkSize)).toThrowError('CHUNK_SIZE_INVALID');
  });

  it('is accepted if our own server names it', () => {
    for (const fileSize of [1, 10 * GB, 10 * GB + 1, 11 * GB]) {
      const plan = planParts(fileSize);
      expect(checkedPlanOfChunks(fileSize, plan.chunkSize)).toEqual(plan);
    }
  });
});

describe('the ranges of a plan', () => {
  it('of three chunks are as drawn in FORMAT.md', () => {
    const plan = planOfChunks(40, 16);
    expect([0, 1, 2].map((i) => plainRange(plan, i))).toEqual([
      { start: 0, end: 16, length: 16 },
      { start: 16, end: 32, length: 16 },
      { start: 32, end: 40, length: 8 },
    ]);
    expect([0, 1, 2].map((i) => sealedRange(plan, i))).toEqual([
      { start: 0, end: 44, length: 44 },
      { start: 44, end: 88, length: 44 },
      { start: 88, end: 124, length: 36 },
    ]);
    expect(storedSize(plan, true)).toBe(124);
    expect(storedSize(plan, false)).toBe(40);
  });

  it('touch without gap or overlap, sealed and plain', () => {
    const anyPlan = fc.tuple(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 300 }));
    fc.assert(
      fc.property(anyPlan, fc.boolean(), ([fileSize, chunkSize], isEncrypted) => {
        const plan = planOfChunks(fileSize, chunkSize);
        let end = 0;
        for (let index = 0; index < plan.count; index += 1) {
          const range = storedRange(plan, index, isEncrypted);
          expect(range.start).toBe(end);
          expect(range.length).toBeGreaterThan(isEncrypted ? 28 : 0);
          end = range.end;
        }
        expect(end).toBe(storedSize(plan, isEncrypted));
      }),
    );
  });
});
