// Combines calls of the API: while one is under way, others of the same kind wait, and then go together in one request.
import {
  type ApiBody,
  type ApiResponse,
  BATCHED_CALLS,
  type BatchedCall,
  type CallInput,
  type EndpointName,
  Failure,
  failureOfResponse,
  MAX_CALLS_PER_BATCH,
  parseResponse,
} from '@furoshiki/api';
import type { Api } from '../ports.ts';

interface WaitingCall {
  input: Omit<ApiBody<'batch'>['calls'][number], 'name'>;
  signal: AbortSignal | undefined;
  resolve(response: unknown): void;
  reject(failure: unknown): void;
}

const isBatched = (name: EndpointName): name is BatchedCall => (BATCHED_CALLS as readonly string[]).includes(name);

export function batchCalls(api: Api): Api {
  const queues = new Map<BatchedCall, WaitingCall[]>();

  /** Sends what waits, until nothing does. */
  async function sendAll(name: BatchedCall, queue: WaitingCall[]): Promise<void> {
    while (queue.length > 0) await send(name, queue.splice(0, MAX_CALLS_PER_BATCH));
    queues.delete(name);
  }

  async function send(name: BatchedCall, all: WaitingCall[]): Promise<void> {
    const calls = all.filter(({ signal }) => !signal?.aborted);
    const [only] = calls;
    try {
      if (only === undefined) return;
      // Alone it needs no batch, which also keeps the first call as quick as it was.
      if (calls.length === 1) return only.resolve(await api.call(name, only.input, only.signal));
      const body = { calls: calls.map(({ input }) => ({ name, ...input })) };
      const { signal, end } = whenAllAbort(calls);
      const { responses } = await api.call('batch', { body }, signal).finally(end);
      for (const [index, call] of calls.entries()) settle(name, call, responses[index]);
    } catch (thrown) {
      for (const { reject } of calls) reject(thrown);
    }
  }

  return {
    ...api,
    call<N extends EndpointName>(name: N, input: CallInput<N>, signal?: AbortSignal): Promise<ApiResponse<N>> {
      const given = input as WaitingCall['input'] & { query?: unknown };
      if (!isBatched(name) || given.query !== undefined) return api.call(name, input, signal);
      if (signal?.aborted) return Promise.reject(new Failure('CANCELLED'));
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const cancel = () => reject(new Failure('CANCELLED'));
      signal?.addEventListener('abort', cancel, { once: true });
      const call = { input: given, signal, resolve, reject };
      const queue = queues.get(name);
      if (queue) queue.push(call);
      else {
        const created = [call];
        queues.set(name, created);
        void sendAll(name, created);
      }
      return promise.finally(() => signal?.removeEventListener('abort', cancel)) as Promise<ApiResponse<N>>;
    },
  };
}

function settle(
  name: BatchedCall,
  { resolve, reject }: WaitingCall,
  response: ApiResponse<'batch'>['responses'][number] | undefined,
): void {
  try {
    if (response === undefined) throw new Failure('API_ERROR');
    const { status, retryAfterSeconds, body } = response;
    if (status === 200) return resolve(parseResponse(name, status, body));
    const { code, details } = failureOfResponse(status, body);
    throw new Failure(code, retryAfterSeconds === undefined ? details : { ...details, retryAfterSeconds });
  } catch (thrown) {
    reject(thrown);
  }
}

/** Aborts when all of the calls are aborted. `end` stops listening: a signal lives as long as the transfer of all files. */
export function whenAllAbort(calls: readonly Pick<WaitingCall, 'signal'>[]): { signal: AbortSignal; end(): void } {
  const all = new AbortController();
  let remaining = calls.length;
  const removals = calls.map(({ signal }) => {
    const count = () => {
      remaining -= 1;
      if (remaining === 0) all.abort();
    };
    signal?.addEventListener('abort', count, { once: true });
    return () => signal?.removeEventListener('abort', count);
  });
  return {
    signal: all.signal,
    end() {
      for (const remove of removals) remove();
    },
  };
}
