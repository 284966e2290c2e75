// Where sealed parts wait for the network without taking memory: files that are written again and again, and go when nobody
// needs them. ADR 0014 has the figures.
import { type Scratch, stageScratch, stagingRoom } from './saving/staging.ts';

/** More parts than are ever under way at once. */
const MAX_PLACES = 10;

export interface PartShelf {
  /** Whether there is room for as many parts of this size as may be under way. */
  holds(partBytes: number): Promise<boolean>;
  /** Undefined where the browser has none. */
  take(): Promise<Scratch | undefined>;
  giveBack(place: Scratch): void;
  clear(): void;
}

export function createPartShelf(): PartShelf {
  let free: Scratch[] = [];
  return {
    holds: async (partBytes) => ((await stagingRoom()) ?? 0) >= MAX_PLACES * partBytes,
    take: async () => free.pop() ?? stageScratch().catch(() => undefined),
    giveBack: (place) => void free.push(place),
    clear() {
      // What cannot be removed now is removed at the next visit.
      for (const place of free) place.remove().catch(() => undefined);
      free = [];
    },
  };
}
