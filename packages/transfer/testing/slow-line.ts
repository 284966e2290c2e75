// A line that carries so much and no more, shared by all who are on it.
import type { Clock } from '../src/ports.ts';
import type { FakeServer } from './fake-server.ts';

export interface SlowLine {
  /** How many have set out, whether or not they arrived. */
  readonly started: number;
  /** How many were on it at once at most. */
  readonly most: number;
}

/** Puts it between the storage and whoever asks it from now on. Every second each is told how far it has come. */
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
