import { expect, it } from 'vitest';
import { giveBack, takeBuffer } from './buffers.ts';

it('the memory of a chunk is used again for the last chunk, which is smaller', () => {
  const first = takeBuffer(1000);
  giveBack(first.buffer);
  const last = takeBuffer(10);
  expect([last.buffer === first.buffer, last.length]).toEqual([true, 10]);
  expect(takeBuffer(10).buffer).not.toBe(first.buffer);
});
