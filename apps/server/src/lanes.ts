// Work on many items, several at the same time.

/** A distant store responds after 300 ms: with so many at once, it takes about 200 requests a second. */
export const LANES = 64;

/** Runs `work` for each item, up to `LANES` at the same time. After the first error no other item is begun, and it is thrown. */
export async function forEachInLanes<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items.values();
  let hasFailed = false;
  const lane = async () => {
    // The lanes share the iterator: each takes the next item.
    for (const item of waiting) {
      if (hasFailed) return;
      await work(item).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(LANES, items.length) }, lane));
  for (const result of lanes) if (result.status === 'rejected') throw result.reason;
}
