import { expect, it } from 'vitest';
import { createBlocks } from './blocks.ts';

const GB = 1024 ** 3;
const MB = 1024 ** 2;

it('uses a block again that was given back', () => {
  const blocks = createBlocks(2);
  const block = blocks.take(GB);
  blocks.giveBack(block);
  expect(blocks.take(GB)).toBe(block);
  expect(blocks.take(GB)).not.toBe(block);
});

it('makes only so many large blocks, and small ones for who comes then', () => {
  const blocks = createBlocks(2);
  const lengths = [1, 2, 3, 4].map(() => blocks.take(GB).length);
  expect(lengths).toEqual([2 * MB, 2 * MB, MB / 4, MB / 4]);
});

it('never hands out again what somebody may still read, and makes another in its place', () => {
  const blocks = createBlocks(1);
  const block = blocks.take(GB);
  blocks.forget(block);
  const next = blocks.take(GB);
  expect(next).not.toBe(block);
  expect(next).toHaveLength(2 * MB);
});

it('takes no more memory than is needed, and keeps nothing small', () => {
  const blocks = createBlocks(1);
  const small = blocks.take(1000);
  expect(small).toHaveLength(1000);
  blocks.giveBack(small);
  expect(blocks.take(1000)).not.toBe(small);
});
