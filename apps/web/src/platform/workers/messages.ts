// The messages between a page and its workers: calls that report progress and can be aborted.
import type { FailureCode, FailureDetails } from '@furoshiki/api';

export type ToWorker<Call> = { id: number; call: Call } | { id: number; abort: true };

export type FromWorker<Result> =
  | { id: number; progress: number }
  | { id: number; result: Result }
  | { id: number; failure: { code: FailureCode; details: FailureDetails } };
