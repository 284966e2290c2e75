// The mark beside a staged file: which file it is, and how many of its bytes are safely on the disk.

export interface StagingMark {
  /** A digest: neither a name nor anything else of the file can be read from it. Empty where nobody will look for the file. */
  identity: string;
  bytes: number;
}

/** Where the marks of two files could be mixed up, the digests could not. */
export async function digestOf(identity: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(identity));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

interface MarkHandle {
  truncate(size: number): void;
  write(bytes: Uint8Array<ArrayBuffer>, options: { at: number }): number;
  flush(): void;
}

/** Each has the same length but for the digits of the count, so a mark that is cut in the middle is no JSON. */
export function writeMark(handle: MarkHandle, mark: StagingMark): void {
  const bytes = new TextEncoder().encode(JSON.stringify(mark));
  handle.write(bytes, { at: 0 });
  handle.truncate(bytes.length);
  handle.flush();
}

/** Undefined where there is none that can be read, or none to go on from. */
export function readMark(text: string): StagingMark | undefined {
  try {
    const { identity, bytes } = JSON.parse(text) as Partial<StagingMark>;
    const isMark = typeof identity === 'string' && identity !== '' && Number.isSafeInteger(bytes);
    return isMark ? { identity, bytes: Number(bytes) } : undefined;
  } catch {
    return undefined;
  }
}
