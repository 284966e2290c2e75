// One signed URL for all lanes. When it is refused they all notice at about the same time, and share one renewal.

export interface SharedUrl {
  get(): Promise<string>;
  /** Says that this URL was refused. Only the first word on the current one counts. */
  discard(refused: string): void;
}

export function createSharedUrl(first: string, renew: () => Promise<string>): SharedUrl {
  let current: string | undefined = first;
  let renewal: Promise<string> | undefined;

  async function renewOnce(): Promise<string> {
    try {
      current = await renew();
      return current;
    } finally {
      // A renewal that failed is forgotten as well: the next try of any lane starts another.
      renewal = undefined;
    }
  }

  return {
    async get() {
      if (current !== undefined) return current;
      renewal ??= renewOnce();
      return renewal;
    },
    discard(refused) {
      if (refused === current) current = undefined;
    },
  };
}
