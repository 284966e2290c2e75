// Keeps the screen on during a transfer, because a sleeping device would stop it.

/** Returns a function that releases the lock. Has no effect if the browser has no wake lock. */
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
