// Where sealed parts wait for the network without taking memory: files that are written again and again, and go when nobody
// needs them. ADR 0014 has the figures.
import { type Scratch, stageScratch, stagingRoom } from '../downloads/saving/staging.ts';

/** More parts than are ever under way at once. */
const MAX_PLACES = 10;

export interface PartShelf {
  /** Whether there is room for as many parts of this size as may be under way. */
  holds(partBytes: number): Promise<boolean>;
  /** A place for a part of this size. Undefined where there is none. */
  take(partBytes: number): Promise<Scratch | undefined>;
  giveBack(place: Scratch): void;
  clear(): void;
}

export function createPartShelf(): PartShelf {
  let free: Scratch[] = [];
  const holds = async (partBytes: number) => ((await stagingRoom()) ?? 0) >= MAX_PLACES * partBytes;
  const makePlace = async (partBytes: number) =>
    (await holds(partBytes)) ? stageScratch().catch(() => undefined) : undefined;
  return {
    holds,
    take: async (partBytes) => free.pop() ?? makePlace(partBytes),
    giveBack: (place) => void free.push(place),
    clear() {
      // What cannot be removed now is removed at the next visit.
      for (const place of free) place.remove().catch(() => undefined);
      free = [];
    },
  };
}
