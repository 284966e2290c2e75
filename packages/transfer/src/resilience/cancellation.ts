// Turns whatever a platform throws on abort into the failure CANCELLED.
import { asFailure, Failure } from '@furoshiki/api';

export function assertNotCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw new Failure('CANCELLED');
}

export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Returns what was thrown as a Failure: CANCELLED if, and only if, the signal is aborted. */
export function failureUnder(signal: AbortSignal, thrown: unknown): Failure {
  const failure = asFailure(thrown);
  if (signal.aborted === (failure.code === 'CANCELLED')) return failure;
  // Browsers abort requests by themselves, for example after sleep mode: that is a broken connection.
  return new Failure(signal.aborted ? 'CANCELLED' : 'NETWORK', {}, { cause: failure });
}
