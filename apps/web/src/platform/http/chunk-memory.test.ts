import { expect, it } from 'vitest';
import { giveMemoryBack, takeMemory } from './object-storage.ts';

it('reuses memory once, for a chunk of the same size', () => {
  const used = takeMemory(64);
  giveMemoryBack(used);
  expect(takeMemory(64)).toBe(used);
  expect(takeMemory(64)).not.toBe(used);
});

it('allocates memory if the size differs', () => {
  giveMemoryBack(takeMemory(64));
  const shorter = takeMemory(32);
  expect(shorter.byteLength).toBe(32);
  // The last chunk of a file is the only one of its size: what would not fit the next is not kept for it.
  expect(takeMemory(64).byteLength).toBe(64);
});
