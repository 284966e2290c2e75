// The worker's end: answers each call, tells its progress, and stops it when the page says so.
import { asFailure } from '@furoshiki/core';
import type { FromWorker, ToWorker } from './messages.ts';

/** As often as the screen shows it. WebKit tells of every few kilobytes, and each telling would draw the screen anew. */
const PROGRESS_MS = 200;

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
      const onProgress = atMostEvery(PROGRESS_MS, (progress: number) => scope.postMessage({ id, progress }));
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

/** What comes too soon is left out: the next one, or the answer, says more. */
function atMostEvery<T>(ms: number, tell: (value: T) => void): (value: T) => void {
  let toldAtMs = Number.NEGATIVE_INFINITY;
  return (value) => {
    const nowMs = performance.now();
    if (nowMs - toldAtMs < ms) return;
    toldAtMs = nowMs;
    tell(value);
  };
}
