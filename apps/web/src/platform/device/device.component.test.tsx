// What the platform asks of a real browser: notifications, the wake lock, and files that are dropped beside the target.
import { describe, expect, test, vi } from 'vitest';
import { createNotify, ignoreStrayFiles, keepAwake } from './device.ts';

describe('a notification', () => {
  const showNotification = vi.fn<ServiceWorkerRegistration['showNotification']>(async () => undefined);

  function notify(isWanted: boolean, isHidden: boolean): void {
    showNotification.mockClear();
    vi.spyOn(document, 'hidden', 'get').mockReturnValue(isHidden);
    const registration = { showNotification } as unknown as ServiceWorkerRegistration;
    vi.spyOn(navigator.serviceWorker, 'getRegistration').mockResolvedValue(registration);
    createNotify(() => isWanted)('Someone downloaded your files.');
  }

  test('is shown through the service worker when the page is hidden', async () => {
    notify(true, true);
    await expect.poll(() => showNotification.mock.calls.length).toBe(1);
    expect(showNotification.mock.calls[0]?.[1]?.body).toBe('Someone downloaded your files.');
  });

  test.each([
    ['the page is visible', true, false],
    ['the user does not want any', false, true],
  ])('is not shown when %s', async (_, isWanted, isHidden) => {
    notify(isWanted, isHidden);
    await Promise.resolve();
    expect(navigator.serviceWorker.getRegistration).not.toHaveBeenCalled();
  });
});

test('the wake lock is taken until it is released', async () => {
  const release = vi.fn<() => Promise<void>>(async () => undefined);
  const request = vi.spyOn(navigator.wakeLock, 'request').mockResolvedValue({ release } as unknown as WakeLockSentinel);
  const letSleep = keepAwake();
  await expect.poll(() => request.mock.calls).toEqual([['screen']]);
  // The browser takes it back when the tab is hidden.
  document.dispatchEvent(new Event('visibilitychange'));
  expect(request).toHaveBeenCalledTimes(2);
  await Promise.resolve();
  letSleep();
  expect(release).toHaveBeenCalled();
  document.dispatchEvent(new Event('visibilitychange'));
  expect(request).toHaveBeenCalledTimes(2);
});

test('a file that is dropped where nothing takes it does not replace the page', () => {
  ignoreStrayFiles();
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File(['x'], 'x.txt'));
  const isPrevented = (type: string, init: DragEventInit) =>
    !document.body.dispatchEvent(new DragEvent(type, { ...init, bubbles: true, cancelable: true }));
  expect(['dragover', 'drop'].map((type) => isPrevented(type, { dataTransfer }))).toEqual([true, true]);
  expect(isPrevented('drop', { dataTransfer: new DataTransfer() })).toBe(false);
});
