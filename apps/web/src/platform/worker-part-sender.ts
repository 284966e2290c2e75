// Reads, seals and sends each part in a worker of its own. ADR 0014 has the figures.
import type { PartSender, PartToSend } from '@furoshiki/transfer';
import { startWorker } from './workers/start-worker.ts';
import { createWorkerCaller, type WorkerCaller } from './workers/worker-caller.ts';

/** Each line of workers reads and seals in turn. WebCrypto and reading run in parallel across workers, not within one. */
const LINES = 2;

type PartWorker = WorkerCaller<PartToSend<File>, string>;

export function createWorkerPartSender(): PartSender<File> {
  // Of this page alone: a tab that the system has put to sleep must not hold up another.
  const page = crypto.getRandomValues(new Uint32Array(4)).join('-');
  let started = 0;
  let busy = 0;
  /** Started while a part is on its way, so that the next one does not wait for it. */
  let spare: PartWorker | undefined;

  function start(): PartWorker {
    started += 1;
    return createWorkerCaller(startWorker('upload', `${page} ${started % LINES}`));
  }

  function take(): PartWorker {
    const taken = spare && !spare.isDead ? spare : start();
    spare = undefined;
    return taken;
  }

  return {
    async send(part, onSent, signal) {
      const worker = take();
      const isLast = part.index + 1 === part.file.count;
      busy += 1;
      try {
        return await worker.call(
          part,
          (bytes) => {
            if (!isLast) spare ??= start();
            onSent(bytes);
          },
          signal,
        );
      } finally {
        // Chromium keeps the body of a finished request for as long as its worker lives.
        worker.end();
        busy -= 1;
        if (busy === 0) {
          spare?.end();
          spare = undefined;
        }
      }
    },
  };
}
