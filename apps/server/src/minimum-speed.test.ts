import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { allowedMs, atMinimumSpeed } from './minimum-speed.ts';

const BLOCK = 256 * 1024;
const TOO_LONG_MS = allowedMs(BLOCK) + 1;
let body: PassThrough;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  body = new PassThrough();
});
afterEach(() => void vi.useRealTimers());

async function readAll(afterEach?: () => Promise<unknown>): Promise<number> {
  let length = 0;
  for await (const bytes of atMinimumSpeed(body)) {
    length += bytes.length;
    await afterEach?.();
  }
  return length;
}

it('cuts off a body that stalls', async () => {
  const reading = readAll().catch((error: unknown) => error);
  body.write(Buffer.alloc(1000));
  await vi.advanceTimersByTimeAsync(TOO_LONG_MS);
  expect(await reading).toMatchObject({ code: 'PART_LENGTH_INVALID' });
  expect(body.destroyed).toBe(true);
});

it('cuts off a body that arrives byte by byte', async () => {
  const reading = readAll().catch((error: unknown) => error);
  for (let seconds = 0; seconds * 1000 < TOO_LONG_MS; seconds += 1) {
    body.write(Buffer.alloc(1));
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(await reading).toMatchObject({ code: 'PART_LENGTH_INVALID' });
});

it('passes a slow body that is fast enough', async () => {
  const reading = readAll();
  for (let count = 0; count < 5; count += 1) {
    body.write(Buffer.alloc(BLOCK));
    await vi.advanceTimersByTimeAsync(TOO_LONG_MS - 1000);
  }
  body.end();
  expect(await reading).toBe(5 * BLOCK);
});

it('does not count the time of a slow disk', async () => {
  body.end(Buffer.alloc(1000));
  expect(await readAll(() => vi.advanceTimersByTimeAsync(3 * TOO_LONG_MS))).toBe(1000);
});

it('receives and drops the rest of a body that its reader refuses, so that the client gets to the response', async () => {
  body.write(Buffer.alloc(1000));
  await expect(readAll(() => Promise.reject(new Error('the disk is full')))).rejects.toThrow('the disk is full');
  body.end(Buffer.alloc(10 * BLOCK));
  await expect.poll(() => body.readableEnded).toBe(true);
});
