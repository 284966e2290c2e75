// A line with a fixed bandwidth, shared by all parts on it.
import type { Clock } from '../src/ports.ts';
import type { FakeServer } from './fake-server.ts';

export interface SlowLine {
  /** How many parts were started, even if they did not arrive. */
  readonly started: number;
  /** The maximum number of parts at the same time. */
  readonly most: number;
}

/** Slows down a storage from now on. Every part reports its progress once a second. */
export function slowDown({ storage }: FakeServer, clock: Clock, bytesPerSecond: number): SlowLine {
  const { put, getRange } = storage;
  const line = { started: 0, most: 0 };
  let travellers = 0;

  async function carry(length: number, onMoved: (bytes: number) => void, signal: AbortSignal): Promise<void> {
    line.started += 1;
    travellers += 1;
    line.most = Math.max(line.most, travellers);
    try {
      for (let moved = 0; moved < length; onMoved(Math.min(Math.floor(moved), length - 1))) {
        await clock.sleep(1000, signal);
        moved += bytesPerSecond / travellers;
      }
    } finally {
      travellers -= 1;
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
  return line;
}
