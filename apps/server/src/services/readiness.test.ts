import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
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
  let calls = 0;
  const readiness = createReadiness({
    storage: async () => {
      calls += 1;
      await sleep(20);
    },
  });
  await Promise.all([readiness(), readiness(), readiness()]);
  expect(calls).toBe(1);
  await readiness();
  expect(calls).toBe(2);
});
