import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { createReadiness } from './readiness.ts';

const fine = async () => {};

it('returns no names when every probe succeeds', async () => {
  expect(await createReadiness({ database: fine, storage: fine })()).toEqual([]);
});

it('returns the names of probes that fail or time out', async () => {
  const readiness = createReadiness(
    {
      database: () => Promise.reject(new Error('broken')),
      storage: () => sleep(60_000, undefined, { ref: false }),
      mail: fine,
    },
    20,
  );
  expect(await readiness()).toEqual(['database', 'storage']);
});

it('runs each probe once at a time, and again after it has ended', async () => {
  const storage = vi.fn<() => Promise<void>>();
  const first = Promise.withResolvers<void>();
  storage.mockReturnValueOnce(first.promise).mockResolvedValueOnce();
  const readiness = createReadiness({ storage });
  const asked = [readiness(), readiness(), readiness()];
  expect(storage).toHaveBeenCalledTimes(1);
  first.resolve();
  expect(await Promise.all(asked)).toEqual([[], [], []]);
  expect(await readiness()).toEqual([]);
  expect(storage).toHaveBeenCalledTimes(2);
});
