// The minimum speed of a transfer, in both directions. Without it one client could hold memory and connections for hours.
import type { Readable } from 'node:stream';
import { Failure } from '@furoshiki/api';

/** Half of the speed at which our own client could finish its smallest part in time. */
const MIN_BYTES_PER_SECOND = 4096;
/** For a connection that stalls for a moment. */
const GRACE_MS = 20_000;
const CHECKED_BYTES = 256 * 1024;

/** Returns how long a client may take to send or to receive so many bytes. */
export function allowedMs(bytes: number): number {
  return GRACE_MS + (bytes / MIN_BYTES_PER_SECOND) * 1000;
}

/** Yields the bytes of a request body. Destroys it if the client sends too slowly; time spent by the reader does not count. */
export async function* atMinimumSpeed(body: Readable): AsyncGenerator<Buffer> {
  let isWaiting = true;
  let received = 0;
  const timer = setTimeout(() => {
    if (isWaiting) body.destroy(new Failure('PART_LENGTH_INVALID'));
    else timer.refresh();
  }, allowedMs(CHECKED_BYTES));
  try {
    for await (const bytes of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      received += bytes.length;
      if (received >= CHECKED_BYTES) {
        received = 0;
        timer.refresh();
      }
      isWaiting = false;
      yield bytes;
      isWaiting = true;
    }
  } finally {
    clearTimeout(timer);
    // If the body was refused half-way, the rest is received and dropped: most clients read a response only after that.
    body.resume();
  }
}
