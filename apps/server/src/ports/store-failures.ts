// Failures of a database or an object store that is away or full. Adapters translate the errors of their engine into them,
// around each call; an error that they do not translate is a bug of ours.
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

interface Around {
  /** Runs the call. By default it just calls. */
  run?(method: string, call: () => unknown): unknown;
  succeeded?(method: string): void;
  /** Returns the error to throw. */
  failed(error: unknown, method: string): unknown;
}

/**
 * Wraps every call of a port in one place, so that no call can be forgotten. An async iterable succeeds when it has
 * ended. Synchronous methods are left alone.
 */
export function aroundCalls<Port extends object>(port: Port, around: Around): Port {
  const wrapped = Object.entries(port).map(([method, member]) => {
    if (typeof member !== 'function') return [method, member];
    const call = member as (...given: unknown[]) => unknown;
    return [method, (...given: unknown[]) => observed(around, method, () => call(...given))];
  });
  return Object.fromEntries(wrapped) as Port;
}

function observed(around: Around, method: string, call: () => unknown): unknown {
  const result = around.run ? around.run(method, call) : call();
  if (result instanceof Promise) return settled(around, method, result);
  return isAsyncIterable(result) ? observedSteps(around, method, result) : result;
}

async function settled<T>(around: Around, method: string, promise: Promise<T>): Promise<T> {
  try {
    const value = await promise;
    around.succeeded?.(method);
    return value;
  } catch (error) {
    throw around.failed(error, method);
  }
}

async function* observedSteps<T>(around: Around, method: string, steps: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    for await (const step of steps) yield step;
    around.succeeded?.(method);
  } catch (error) {
    throw around.failed(error, method);
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
