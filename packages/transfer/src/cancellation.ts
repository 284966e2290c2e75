// Cancelling, said once: whatever a platform throws on abort, the engines speak of CANCELLED.
import { asFailure, Failure } from '@furoshiki/core';

export function assertNotCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw new Failure('CANCELLED');
}

/** What was thrown, as a Failure; CANCELLED where the signal explains it. */
export function failureUnder(signal: AbortSignal, thrown: unknown): Failure {
  const failure = asFailure(thrown);
  return signal.aborted && failure.code !== 'CANCELLED' ? new Failure('CANCELLED', {}, { cause: failure }) : failure;
}
