import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createReadiness } from './readiness.ts';

const fine = async () => {};

it('names nothing where everything answers', async () => {
  expect(await createReadiness({ database: fine, storage: fine })()).toEqual([]);
});

it('names what fails and what does not answer in time', async () => {
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

it('tries once at a time, and anew when a try has ended', async () => {
  let tries = 0;
  const readiness = createReadiness({
    storage: async () => {
      tries += 1;
      await sleep(20);
    },
  });
  await Promise.all([readiness(), readiness(), readiness()]);
  expect(tries).toBe(1);
  await readiness();
  expect(tries).toBe(2);
});
