// Wraps every call of a port in one place, so that no call can be forgotten.

export interface Around {
  /** Runs the call. By default it just calls. */
  run?(method: string, call: () => unknown): unknown;
  succeeded?(method: string): void;
  /** Returns the error to throw. */
  failed(error: unknown, method: string): unknown;
}

/** An async iterable succeeds when it has ended. Synchronous methods are left alone. */
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
