// Lets uploads wait until the user has signed in, on an instance that requires it. All of them share one check.
import { Failure } from '@furoshiki/api';
import type { SignIn, SignInEvents, SignInState } from '../ports.ts';
import { type CallPorts, call } from './retry.ts';
import { assertNotCancelled } from './cancellation.ts';

export interface SignInPorts extends CallPorts {
  signInEvents: SignInEvents;
}

export function createSignIn({ signInEvents, ...ports }: SignInPorts): SignIn {
  const listeners = new Set<() => void>();
  const waiting = new Set<() => void>();
  let state: SignInState = 'none';
  let watch: { stop: () => void; abort: AbortController } | undefined;
  /** What the server is being asked, and whether that is late: the user may have signed in after it was asked. */
  let check: { isLate: boolean } | undefined;

  function setState(next: SignInState): void {
    if (next === state) return;
    state = next;
    for (const listener of listeners) listener();
  }

  function startWatching(): NonNullable<typeof watch> {
    setState('waiting');
    return { stop: signInEvents.onMaybeSignedIn(checkSoon), abort: new AbortController() };
  }

  function stopWatching(): void {
    watch?.stop();
    watch?.abort.abort();
    watch = undefined;
    check = undefined;
    setState('none');
  }

  function checkSoon(): void {
    if (!watch) return;
    if (check) check.isLate = true;
    else void askServer(watch.abort.signal);
  }

  async function askServer(signal: AbortSignal): Promise<void> {
    const current = { isLate: false };
    check = current;
    // Any failure leaves the uploads waiting: the next event asks again. A missing network is waited for.
    const allowed = await call(ports, 'uploadPermission', {}, signal).then(
      (response) => response.allowed,
      () => undefined,
    );
    if (check !== current) return;
    check = undefined;
    if (allowed) return goOn();
    if (allowed === false) setState('refused');
    if (current.isLate) checkSoon();
  }

  function goOn(): void {
    const released = [...waiting];
    waiting.clear();
    stopWatching();
    for (const release of released) release();
    signInEvents.onContinued();
  }

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    check: checkSoon,
    async waitUntilSignedIn(signal) {
      assertNotCancelled(signal);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const cancel = () => reject(new Failure('CANCELLED'));
      signal.addEventListener('abort', cancel);
      waiting.add(resolve);
      watch ??= startWatching();
      try {
        await promise;
      } finally {
        signal.removeEventListener('abort', cancel);
        // The last upload was cancelled.
        if (waiting.delete(resolve) && waiting.size === 0) stopWatching();
      }
    },
  };
}
