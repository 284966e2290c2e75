import { MB } from '@furoshiki/format';
import { afterEach, expect, it, vi } from 'vitest';
import { fitsInMemory, keepAndSave } from './saved-files.ts';

afterEach(() => void vi.useRealTimers());

it.each([
  ['one chunk', 25 * MB, 25 * MB, true],
  ['several chunks, which can be resumed', 25 * MB, 5 * MB, false],
  ['one chunk that is larger than usual', 25 * MB + 1, 50 * MB, false],
])('%s: is kept in memory?', (_, fileSize, chunkSize, expected) => {
  expect(fitsInMemory({ fileSize, chunkSize })).toBe(expected);
});

it('a closed tab removes what the browser has copied, and leaves the rest to the service worker', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const page = new EventTarget();
  const postMessage = vi.fn<(message: unknown) => void>();
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  vi.stubGlobal('document', { createElement: () => ({ click: () => undefined }) });
  vi.stubGlobal('navigator', { serviceWorker: { controller: { postMessage } } });
  const removed: string[] = [];
  async function save(id: string, size: number): Promise<void> {
    const remove = async () => void removed.push(id);
    const content = Object.defineProperty(new Blob(), 'size', { value: size });
    await keepAndSave({ id, content, fileName: id, bytesInMemory: 0, remove });
  }
  await save('small', 1000);
  await save('100 MB', 100_000_000);
  const hide = (persisted: boolean) => page.dispatchEvent(Object.assign(new Event('pagehide'), { persisted }));

  vi.advanceTimersByTime(29_000);
  hide(false);
  expect(removed).toEqual([]);
  expect(postMessage).toHaveBeenLastCalledWith({ type: 'removeStale', afterMs: 11_000 });
  vi.advanceTimersByTime(2000);
  hide(true);
  expect(removed).toEqual([]);
  hide(false);
  expect(removed).toEqual(['small']);
  vi.advanceTimersByTime(10_000);
  hide(false);
  expect(removed.slice(1)).toEqual(['small', '100 MB']);
  expect(postMessage).toHaveBeenLastCalledWith({ type: 'removeStale', afterMs: 0 });
});
