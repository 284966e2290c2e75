// Keeps the screen on, and with it the device awake, while something is under way that a sleep would stop.

/** Answers the function that lets it sleep again. Without effect where the browser has no such thing. */
export function keepAwake(): () => void {
  let lock: WakeLockSentinel | undefined;
  let isWanted = true;

  async function take(): Promise<void> {
    if (!isWanted || document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return;
    try {
      lock = await navigator.wakeLock.request('screen');
    } catch {
      return; // A battery that runs low, a policy: the transfer goes on without it.
    }
    if (!isWanted) await lock.release();
  }
  // The browser takes the lock back whenever the tab is hidden.
  const retake = () => void take();
  document.addEventListener('visibilitychange', retake);
  retake();

  return () => {
    isWanted = false;
    document.removeEventListener('visibilitychange', retake);
    void lock?.release();
  };
}
