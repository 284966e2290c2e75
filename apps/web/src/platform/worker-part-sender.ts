// Reads, seals and sends each part in a worker of its own. ADR 0014 has the figures.
import type { PartSender, PartToSend } from '@furoshiki/transfer';
import { startWorker } from './workers/start-worker.ts';
import { createWorkerCaller } from './workers/worker-caller.ts';

/** Each line of workers reads and seals in turn. WebCrypto and reading run in parallel across workers, not within one. */
const LINES = 2;

export function createWorkerPartSender(): PartSender<File> {
  // Of this page alone: a tab that the system has put to sleep must not hold up another.
  const page = crypto.getRandomValues(new Uint32Array(4)).join('-');
  let started = 0;

  return {
    async send(part, onSent, signal) {
      started += 1;
      const line = `${page} ${started % LINES}`;
      const worker = createWorkerCaller<PartToSend<File>, string>(startWorker('upload', line));
      try {
        return await worker.call(part, onSent, signal);
      } finally {
        // Chromium keeps the body of a finished request for as long as its worker lives.
        worker.end();
      }
    },
  };
}
