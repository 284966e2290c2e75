// Parts of the device that the app needs: a clock, the screen that stays on, notifications. Also keeps stray files from
// replacing the page.
import { Failure } from '@furoshiki/api';
import type { Clock } from '@furoshiki/transfer';
import { addressOf } from './site.ts';

export const browserClock: Clock = {
  nowMs: () => performance.now(),
  random: Math.random,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(done, ms);
      function done() {
        signal.removeEventListener('abort', stop);
        resolve();
      }
      function stop() {
        clearTimeout(timer);
        reject(new Failure('CANCELLED'));
      }
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    }),
};

/**
 * Keeps the screen on during a transfer, because a sleeping device would stop it. Returns a function that releases the
 * lock. Has no effect if the browser has no wake lock.
 */
export function keepAwake(): () => void {
  let lock: WakeLockSentinel | undefined;
  let isWanted = true;

  async function acquire(): Promise<void> {
    if (!isWanted || document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return;
    try {
      lock = await navigator.wakeLock.request('screen');
    } catch {
      return; // For example because the battery is low. The transfer continues without the lock.
    }
    if (!isWanted) await lock.release();
  }
  // The browser releases the lock whenever the tab is hidden.
  const reacquire = () => void acquire();
  document.addEventListener('visibilitychange', reacquire);
  reacquire();

  return () => {
    isWanted = false;
    document.removeEventListener('visibilitychange', reacquire);
    void lock?.release();
  };
}

/** Shows a system notification while the page is hidden. */
export function createNotify(isEnabled: () => boolean): (text: string) => void {
  return (text) => {
    if (isEnabled() && document.hidden) void show(text).catch(() => undefined);
  };
}

async function show(text: string): Promise<void> {
  const options = { body: text, icon: addressOf('/icon.svg') };
  // Phones only show notifications of a service worker.
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker) return worker.showNotification('Furoshiki', options);
  const notification = new Notification('Furoshiki', options);
  notification.addEventListener('click', () => window.focus());
  return undefined;
}

/**
 * Ignores files that the user drops outside of a drop zone. Otherwise the browser would open the file instead of the
 * page, and a key that is shown only once would be lost.
 */
export function ignoreStrayFiles(): void {
  for (const type of ['dragover', 'drop'] as const)
    addEventListener(type, (event) => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
    });
}
