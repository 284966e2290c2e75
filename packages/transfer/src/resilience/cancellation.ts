// Cancelling, said once: whatever a platform throws on abort, the engines speak of CANCELLED.
import { asFailure, Failure } from '@furoshiki/core';

export function assertNotCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw new Failure('CANCELLED');
}

/** What was thrown, as a Failure: CANCELLED where the signal explains it, and only there. */
export function failureUnder(signal: AbortSignal, thrown: unknown): Failure {
  const failure = asFailure(thrown);
  if (signal.aborted === (failure.code === 'CANCELLED')) return failure;
  // An abort that nobody asked for, as after a sleep, is a broken connection.
  return new Failure(signal.aborted ? 'CANCELLED' : 'NETWORK', {}, { cause: failure });
}
