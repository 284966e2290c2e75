// Sends parts through a few workers: WebCrypto and reading run in parallel across workers, not within one.
import type { PartSender, PartToSend } from '@furoshiki/transfer';
import { startWorker } from './workers/start-worker.ts';
import { createWorkerCaller, type WorkerCaller } from './workers/worker-caller.ts';

const WORKERS = 2;
/** Ending a worker frees at once what its garbage collector would keep for long. ADR 0014 has the figures. */
const PARTS_PER_WORKER = 2;

interface Hand {
  caller: WorkerCaller<PartToSend<File>, string>;
  /** How many parts it has been given. */
  parts: number;
}

export function createWorkerPartSender(): PartSender<File> {
  let hands: Hand[] = [];

  function leastBusy(): Hand {
    hands = hands.filter(({ caller, parts }) => !caller.isDead && parts < PARTS_PER_WORKER);
    if (hands.length < WORKERS) hands.push({ caller: createWorkerCaller(startWorker('upload')), parts: 0 });
    return hands.reduce((best, hand) => (hand.caller.busy < best.caller.busy ? hand : best));
  }

  return {
    async send(part, onSent, signal) {
      const hand = leastBusy();
      hand.parts += 1;
      try {
        return await hand.caller.call(part, onSent, signal);
      } finally {
        if (hand.parts >= PARTS_PER_WORKER && hand.caller.busy === 0) hand.caller.end();
      }
    },
  };
}
