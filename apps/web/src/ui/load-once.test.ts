import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it, vi } from 'vitest';
import { loadOnce, useLoaded } from './lazy.tsx';

describe('loadOnce', () => {
  it('loads on the first call and never again', async () => {
    const load = vi.fn<() => Promise<string>>().mockResolvedValue('code');
    const loading = loadOnce(load);
    expect(load).not.toHaveBeenCalled();
    const [first, second] = [loading(), loading()];
    expect(second).toBe(first);
    expect(await first).toBe('code');
    expect(loading()).toBe(first);
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('loads again after a failure', async () => {
    const load = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new Error('gone')).mockResolvedValue('code');
    const loading = loadOnce(load);
    await expect(loading()).rejects.toThrow('gone');
    expect(await loading()).toBe('code');
  });

  it('notifies its listeners, and forgets a failure that is no longer shown', async () => {
    const load = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new Error('gone')).mockResolvedValue('code');
    const loading = loadOnce(load);
    const phases: string[] = [];
    const listen = () => loading.subscribe(() => void phases.push(loading.getState().phase));
    const unsubscribe = listen();
    await expect(loading()).rejects.toThrow('gone');
    expect(phases).toEqual(['failed']);
    unsubscribe();
    expect(loading.getState()).toEqual({ phase: 'loading' });
    listen();
    await loading();
    expect(loading.getState()).toEqual({ phase: 'loaded', value: 'code' });
    expect(phases).toEqual(['failed', 'loaded']);
  });
});

it('suspends until it is loaded, and not at all if it was loaded before', async () => {
  const later = loadOnce(async () => 'code');
  const before = loadOnce(async () => 'code');
  await before();
  const Shown = ({ loader }: { loader: typeof later }) => useLoaded(loader);
  expect(() => renderToStaticMarkup(createElement(Shown, { loader: later }))).toThrow(/suspended/u);
  expect(renderToStaticMarkup(createElement(Shown, { loader: before }))).toBe('code');
});
