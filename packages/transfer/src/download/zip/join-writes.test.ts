import { expect, it } from 'vitest';
import { joinWrites } from './join-writes.ts';

const bytesOf = (...values: number[]) => new Uint8Array(values);

function setUp(failing: number[] = []) {
  const written: number[][] = [];
  let count = 0;
  const joined = joinWrites(async (bytes) => {
    count += 1;
    if (failing.includes(count)) throw new Error('failed');
    written.push([...bytes]);
  }, 4);
  return { ...joined, written };
}

it('joins writes up to a size, and keeps their order', async () => {
  const { write, flush, written } = setUp();
  for (const bytes of [bytesOf(1, 2), bytesOf(3), bytesOf(4, 5), bytesOf(6, 7, 8, 9, 10), bytesOf(11)])
    await write(bytes);
  expect(written).toEqual([
    [1, 2, 3],
    [4, 5],
    [6, 7, 8, 9, 10],
  ]);
  await flush();
  await flush();
  expect(written.slice(3)).toEqual([[11]]);
});

it('loses and repeats nothing if a failed write is tried again', async () => {
  const { write, flush, written } = setUp([1, 3, 5]);
  await write(bytesOf(1, 2, 3));
  await expect(write(bytesOf(4, 5))).rejects.toThrowError('failed');
  await write(bytesOf(4, 5));
  await expect(write(bytesOf(6, 7, 8, 9, 10))).rejects.toThrowError('failed');
  await expect(write(bytesOf(6, 7, 8, 9, 10))).rejects.toThrowError('failed');
  await write(bytesOf(6, 7, 8, 9, 10));
  await flush();
  expect(written.flat()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});
