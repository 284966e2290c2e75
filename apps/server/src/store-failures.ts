// Failures of a database or an object store that is away or full. Adapters translate their engine's errors into them; an error
// that they do not translate is a bug of ours.
import { Failure } from '@furoshiki/api';

/** Soon enough to notice that the store is back, rare enough not to delay its recovery. */
const RETRY_AFTER_SECONDS = 5;

export class StoreFailure extends Failure {
  /** The engine's own name of the error, such as ECONNREFUSED or SlowDown: no address, key or name of a file. */
  readonly engineCode: string;

  constructor(code: 'SERVICE_UNAVAILABLE' | 'QUOTA_EXCEEDED', engineCode: string, cause?: unknown) {
    super(code, code === 'QUOTA_EXCEEDED' ? {} : { retryAfterSeconds: RETRY_AFTER_SECONDS }, { cause });
    this.engineCode = engineCode;
  }
}

export const unavailable = (engineCode: string, cause?: unknown) =>
  new StoreFailure('SERVICE_UNAVAILABLE', engineCode, cause);

export const full = (engineCode: string, cause?: unknown) => new StoreFailure('QUOTA_EXCEEDED', engineCode, cause);
