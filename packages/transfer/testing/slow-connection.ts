// A connection with a fixed bandwidth, shared by all parts on it.
import type { Clock } from '../src/ports.ts';
import type { FakeServer } from './fake-server.ts';

export interface SlowConnection {
  /** How many parts were started, even if they did not arrive. */
  readonly started: number;
  /** The maximum number of parts at the same time. */
  readonly most: number;
}

/** Slows down a storage from now on. Every part reports its progress once a second. */
export function slowDown({ storage }: FakeServer, clock: Clock, bytesPerSecond: number): SlowConnection {
  const { put, getRange } = storage;
  const connection = { started: 0, most: 0 };
  let running = 0;

  async function carry(length: number, onMoved: (bytes: number) => void, signal: AbortSignal): Promise<void> {
    connection.started += 1;
    running += 1;
    connection.most = Math.max(connection.most, running);
    try {
      for (let moved = 0; moved < length; onMoved(Math.min(Math.floor(moved), length - 1))) {
        await clock.sleep(1000, signal);
        moved += bytesPerSecond / running;
      }
    } finally {
      running -= 1;
    }
  }

  storage.put = async (url, bytes, onSent, signal) => {
    const copy = bytes.slice();
    await carry(copy.length, onSent, signal);
    return put(url, copy, onSent, signal);
  };
  storage.getRange = async (url, start, end, onReceived, signal) => {
    await carry(end - start, onReceived, signal);
    return getRange(url, start, end, onReceived, signal);
  };
  return connection;
}
