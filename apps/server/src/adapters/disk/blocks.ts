// The memory that stored bytes pass through on their way out, used again: fresh memory for each answer cost page faults, and
// had V8 search its heap for what could go.

/** The larger, the fewer calls for each gigabyte; still small enough to stay in a processor's cache from disk to network. */
const LARGE_BYTES = 2 * 1024 * 1024;
const SMALL_BYTES = 256 * 1024;

export interface Blocks {
  take(neededBytes: number): Buffer;
  /** Only what nobody reads any more: it will soon hold the bytes of another file. */
  giveBack(block: Buffer): void;
  /** For a block that somebody may still read. */
  forget(block: Buffer): void;
}

/** So many large blocks are used again and again. Whoever comes while all are taken gets a small one. */
export function createBlocks(maxLarge: number): Blocks {
  const spare: Buffer[] = [];
  let largeCount = 0;
  const isLarge = ({ length }: Buffer) => length === LARGE_BYTES;

  return {
    take(neededBytes) {
      if (neededBytes <= SMALL_BYTES) return Buffer.allocUnsafeSlow(neededBytes);
      const used = spare.pop();
      if (used) return used;
      if (largeCount === maxLarge) return Buffer.allocUnsafeSlow(SMALL_BYTES);
      largeCount += 1;
      return Buffer.allocUnsafeSlow(LARGE_BYTES);
    },
    giveBack(block) {
      if (isLarge(block)) spare.push(block);
    },
    forget(block) {
      if (isLarge(block)) largeCount -= 1;
    },
  };
}
