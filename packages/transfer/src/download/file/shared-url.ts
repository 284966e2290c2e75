// One signed URL for all lanes. When the storage refuses it, the lanes share one renewal.

export interface SharedUrl {
  get(): Promise<string>;
  /** Call when the storage refused this URL. Has no effect if it was renewed since. */
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
      // Also after a failure: the next attempt of any lane starts another renewal.
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
