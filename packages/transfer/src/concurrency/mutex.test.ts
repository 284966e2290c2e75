import { expect, it } from 'vitest';
import { createMutex } from './mutex.ts';

it('runs one after the other, in order, even if the one before has failed', async () => {
  const runExclusive = createMutex();
  const steps: string[] = [];
  const work = (name: string, fails: boolean) => async () => {
    steps.push(`${name} begins`);
    await Promise.resolve();
    steps.push(`${name} ends`);
    if (fails) throw new Error(name);
    return name;
  };
  const ended = await Promise.allSettled([
    runExclusive(work('a', false)),
    runExclusive(work('b', true)),
    runExclusive(work('c', false)),
  ]);
  expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});
