import { Failure } from '@furoshiki/api';
import { describe, expect, it } from 'vitest';
import { createSharedUrl } from './receive-file.ts';

describe('a shared URL', () => {
  function setUp(failing: number[] = []) {
    const renewals: number[] = [];
    const url = createSharedUrl('url 0', async () => {
      const nth = renewals.push(renewals.length + 1);
      await Promise.resolve();
      if (failing.includes(nth)) throw new Failure('NETWORK');
      return `url ${nth}`;
    });
    return { url, renewals };
  }

  it('stays the same until it is refused', async () => {
    const { url, renewals } = setUp();
    expect([await url.get(), await url.get()]).toEqual(['url 0', 'url 0']);
    expect(renewals).toEqual([]);
  });

  it('is renewed once for all lanes that were refused', async () => {
    const { url, renewals } = setUp();
    for (let lane = 0; lane < 3; lane += 1) url.discard('url 0');
    expect(await Promise.all([url.get(), url.get(), url.get()])).toEqual(['url 1', 'url 1', 'url 1']);
    expect(renewals).toEqual([1]);
  });

  it('is not discarded by a late refusal of the previous one', async () => {
    const { url } = setUp();
    url.discard('url 0');
    await url.get();
    url.discard('url 0');
    expect(await url.get()).toBe('url 1');
  });

  it('fails all lanes that wait for a failed renewal, and is renewed again for the next', async () => {
    const { url, renewals } = setUp([1]);
    url.discard('url 0');
    const waiting = await Promise.allSettled([url.get(), url.get()]);
    expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await url.get()).toBe('url 2');
    expect(renewals).toEqual([1, 2]);
  });
});
