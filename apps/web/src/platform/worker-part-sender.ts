// Sends parts through a few workers: WebCrypto and reading run in parallel across workers, not within one.
import type { PartSender, PartToSend } from '@furoshiki/transfer';
import { startWorker } from './workers/start-worker.ts';
import { createWorkerCaller, type WorkerCaller } from './workers/worker-caller.ts';

const WORKERS = 2;

type Caller = WorkerCaller<PartToSend<File>, string>;

export function createWorkerPartSender(): PartSender<File> {
  let callers: Caller[] = [];

  function leastBusy(): Caller {
    callers = callers.filter((caller) => !caller.isDead);
    if (callers.length < WORKERS) callers.push(createWorkerCaller(startWorker('upload')));
    return callers.reduce((best, caller) => (caller.busy < best.busy ? caller : best));
  }

  return { send: (part, onSent, signal) => leastBusy().call(part, onSent, signal) };
}
