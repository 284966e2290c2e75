// The worker's end: answers each call, tells its progress, and stops it when the page says so.
import { asFailure } from '@furoshiki/core';
import type { FromWorker, ToWorker } from './messages.ts';

interface WorkerScope<Request, Answer> {
  addEventListener(type: 'message', listener: (event: MessageEvent<ToWorker<Request>>) => void): void;
  postMessage(message: FromWorker<Answer>, transfer?: Transferable[]): void;
}

export function serveCalls<Request, Answer>(
  scope: WorkerScope<Request, Answer>,
  handle: (request: Request, onProgress: (bytes: number) => void, signal: AbortSignal) => Promise<Answer>,
  /** What of an answer is handed over instead of copied. */
  transferOf: (answer: Answer) => Transferable[] = () => [],
): void {
  const running = new Map<number, AbortController>();
  scope.addEventListener('message', ({ data }) => {
    if ('abort' in data) running.get(data.id)?.abort();
    else void answer(data.id, data.request);
  });

  async function answer(id: number, request: Request): Promise<void> {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const onProgress = (progress: number) => scope.postMessage({ id, progress });
      const answer = await handle(request, onProgress, controller.signal);
      scope.postMessage({ id, answer }, transferOf(answer));
    } catch (thrown) {
      // An Error loses its fields on the way between threads, so its code travels by itself.
      const { code, details } = asFailure(thrown);
      scope.postMessage({ id, failure: { code, details } });
    } finally {
      running.delete(id);
    }
  }
}
