// The real gate for uploads that require a sign-in, with a user who may have signed in elsewhere.
import type { CallPorts } from '../src/resilience/retry.ts';
import { createSignIn } from '../src/resilience/sign-in.ts';
import type { SignIn } from '../src/ports.ts';

export interface FakeSignIn extends SignIn {
  /** Something suggests that the user has signed in, such as a message of another tab. */
  suggest(): void;
  /** How often waiting uploads have continued. */
  continuedCount(): number;
  /** How many listeners wait for a suggestion. */
  listenerCount(): number;
}

export function createFakeSignIn(ports: CallPorts): FakeSignIn {
  const listeners = new Set<() => void>();
  let continued = 0;
  const signInEvents = {
    onMaybeSignedIn(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onContinued: () => void (continued += 1),
  };
  return {
    ...createSignIn({ ...ports, signInEvents }),
    suggest() {
      for (const listener of listeners) listener();
    },
    continuedCount: () => continued,
    listenerCount: () => listeners.size,
  };
}
