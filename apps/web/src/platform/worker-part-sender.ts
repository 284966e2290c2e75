// Sends parts through a few workers: WebCrypto and reading run in parallel across workers, not within one.
import type { PartSender, PartToSend } from '@furoshiki/transfer';
import { createWorkerCaller, type WorkerCaller } from './workers/worker-caller.ts';

const WORKERS = 2;

export function createWorkerPartSender(): PartSender<File> {
  const callers: WorkerCaller<PartToSend<File>, string>[] = [];

  function leastBusy(): WorkerCaller<PartToSend<File>, string> {
    if (callers.length < WORKERS) {
      const worker = new Worker(new URL('./workers/upload.worker.ts', import.meta.url), { type: 'module' });
      const caller = createWorkerCaller<PartToSend<File>, string>(worker);
      callers.push(caller);
      return caller;
    }
    return callers.reduce((best, caller) => (caller.busy < best.busy ? caller : best));
  }

  return { send: (part, onSent, signal) => leastBusy().call(part, onSent, signal) };
}
