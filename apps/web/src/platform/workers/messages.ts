// What a page and its workers say to each other: calls with progress, that can be aborted.
import type { FailureCode, FailureDetails } from '@furoshiki/core';

export type ToWorker<Request> = { id: number; request: Request } | { id: number; abort: true };

export type FromWorker<Answer> =
  | { id: number; progress: number }
  | { id: number; answer: Answer }
  | { id: number; failure: { code: FailureCode; details: FailureDetails } };
