// Holds the bytes of transfers half-way, for as long as a test needs.
import { Failure } from '@furoshiki/api';
import type { ObjectStorage } from '@furoshiki/transfer';

interface HeldRequest {
  /** Reports progress of a request that is still held. */
  onProgress(bytes: number): void;
  release(): void;
  fail(): void;
}

export interface ByteGate {
  storage: ObjectStorage;
  /** From now on every request waits. */
  hold(): void;
  /** The requests that wait. */
  held: HeldRequest[];
  /** Lets the waiting requests and all later ones through. */
  release(): void;
  /** Fails the waiting requests like a lost network. Later ones still wait. */
  breakOff(): void;
}

export function createByteGate(storage: ObjectStorage): ByteGate {
  let isHolding = false;
  const held = new Set<HeldRequest>();

  function pass(onProgress: (bytes: number) => void, signal: AbortSignal): Promise<void> {
    if (!isHolding) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const settle = (end: () => void) => () => {
        held.delete(request);
        end();
      };
      const request: HeldRequest = {
        onProgress,
        release: settle(resolve),
        fail: settle(() => reject(new Failure('NETWORK'))),
      };
      held.add(request);
      signal.addEventListener(
        'abort',
        settle(() => reject(new Failure('CANCELLED'))),
      );
    });
  }

  return {
    storage: {
      async put(url, body, onSent, signal) {
        // The sender may reuse its memory as soon as this has returned.
        const copy = body.slice();
        await pass(onSent, signal);
        return storage.put(url, copy, onSent, signal);
      },
      async getRange(url, start, end, onReceived, signal) {
        await pass(onReceived, signal);
        return storage.getRange(url, start, end, onReceived, signal);
      },
    },
    hold: () => void (isHolding = true),
    get held() {
      return [...held];
    },
    release() {
      isHolding = false;
      for (const request of held) request.release();
    },
    breakOff() {
      for (const request of held) request.fail();
    },
  };
}
