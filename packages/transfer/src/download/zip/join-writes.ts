// Joins small writes: in a browser each write is a message to a worker and back.

const MAX_JOINED_BYTES = 256 * 1024;

type Write = (bytes: Uint8Array<ArrayBuffer>) => Promise<void>;

interface JoinedWrites {
  /** After it has thrown, the same bytes can be given again: none of them were taken, and earlier ones are not lost. */
  write: Write;
  /** Writes what still waits. */
  flush(): Promise<void>;
}

export function joinWrites(write: Write, maxBytes = MAX_JOINED_BYTES): JoinedWrites {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;

  async function flush(): Promise<void> {
    if (waitingBytes === 0) return;
    const joined = new Uint8Array(waitingBytes);
    let offset = 0;
    for (const bytes of waiting) {
      joined.set(bytes, offset);
      offset += bytes.length;
    }
    await write(joined);
    waiting = [];
    waitingBytes = 0;
  }

  return {
    async write(bytes) {
      if (waitingBytes + bytes.length > maxBytes) await flush();
      if (bytes.length > maxBytes) return write(bytes);
      waiting.push(bytes);
      waitingBytes += bytes.length;
    },
    flush,
  };
}
