import { describe, expect, it, vi } from 'vitest';
import { loadOnce } from './load-once.ts';

describe('loadOnce', () => {
  it('loads when it is first asked, and never again', async () => {
    const load = vi.fn<() => Promise<string>>().mockResolvedValue('code');
    const loading = loadOnce(load);
    expect(load).not.toHaveBeenCalled();
    const [first, second] = [loading(), loading()];
    expect(second).toBe(first);
    expect(await first).toBe('code');
    expect(loading()).toBe(first);
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('lets React read what has come at once', async () => {
    const loading = loadOnce(async () => 'code');
    await loading();
    expect(loading()).toMatchObject({ status: 'fulfilled', value: 'code' });
  });

  it('tries again where it failed', async () => {
    const load = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new Error('gone')).mockResolvedValue('code');
    const loading = loadOnce(load);
    await expect(loading()).rejects.toThrow('gone');
    expect(await loading()).toBe('code');
  });
});
