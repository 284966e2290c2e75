// Begins to receive the next files of an archive while an earlier one is written. Small files would otherwise cost two round
// trips each.
import { Failure } from '@furoshiki/api';
import type { FetchedChunk } from '../../ports.ts';
import type { FetchPlan } from '../file/fetch-plan.ts';
import { receiveFile, type Receiving, type ReceivePorts } from '../file/receive-file.ts';

/** Files that are received at the same time, and the bytes of those that wait for their turn. */
const FILES_AT_ONCE = 16;
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

/** Writes one chunk of the file whose turn it is. */
type OnChunk = (chunk: FetchedChunk) => Promise<void>;

interface BegunFile {
  /** Lets the file write its chunks. Resolves when it is complete, to whether the server wants it to be confirmed. */
  receive(onChunk: OnChunk): Promise<boolean>;
  bytes: number;
}

type Settings = Pick<Receiving, 'lanes' | 'signal'>;

export function createReadAhead(ports: ReceivePorts, plans: readonly FetchPlan[], { lanes, signal }: Settings) {
  const begun: BegunFile[] = [];
  let nextIndex = 0;

  function begin(plan: FetchPlan): BegunFile {
    const turn = Promise.withResolvers<OnChunk>();
    signal.addEventListener('abort', () => turn.reject(new Failure('CANCELLED')), { once: true });
    // It is awaited when the turn of this file comes. Until then a rejection must not count as unhandled.
    turn.promise.catch(() => undefined);
    const received = receiveFile(ports, {
      plan,
      firstIndex: 0,
      lanes,
      signal,
      wantsCrc32: true,
      onGranted: () => {},
      onChunkChanged: () => {},
      onChunk: async (chunk) => (await turn.promise)(chunk),
    });
    received.catch(() => undefined);
    return {
      bytes: plan.fileSize,
      receive(onChunk) {
        turn.resolve(onChunk);
        return received;
      },
    };
  }

  const waitingBytes = () => begun.reduce((sum, { bytes }) => sum + bytes, 0);

  return {
    /** Receives the next file, and begins with the files after it as far as memory allows. */
    receiveNext(onChunk: OnChunk): Promise<boolean> {
      const current = begun.shift() ?? begin(plans[nextIndex++] as FetchPlan);
      for (let plan = plans[nextIndex]; plan !== undefined; plan = plans[nextIndex]) {
        if (begun.length + 1 >= FILES_AT_ONCE || waitingBytes() + plan.fileSize > MAX_WAITING_BYTES) break;
        begun.push(begin(plan));
        nextIndex += 1;
      }
      return current.receive(onChunk);
    },
  };
}
