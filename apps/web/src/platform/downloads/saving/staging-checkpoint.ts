// The checkpoint beside a staged file: which file it is, how it is encrypted, and how many of its bytes are synced.

export interface StagingCheckpoint {
  /** A digest, so that neither the name nor anything else can be read from it. Empty if the file is never resumed. */
  identity: string;
  /** With the key of the upload, it makes the key that the file is encrypted with. */
  nonce: string;
  bytes: number;
}

export async function digestOf(identity: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(identity));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

interface CheckpointHandle {
  truncate(size: number): void;
  write(bytes: Uint8Array<ArrayBuffer>, options: { at: number }): number;
  flush(): void;
}

/** Checkpoints differ in length only by the digits of the count, so one that is cut in the middle is not valid JSON. */
export function writeCheckpoint(handle: CheckpointHandle, checkpoint: StagingCheckpoint): void {
  const bytes = new TextEncoder().encode(JSON.stringify(checkpoint));
  handle.write(bytes, { at: 0 });
  handle.truncate(bytes.length);
  handle.flush();
}

/** Returns undefined if the text is not a checkpoint, or one that cannot be resumed from. */
export function readCheckpoint(text: string): StagingCheckpoint | undefined {
  try {
    const { identity, nonce, bytes } = JSON.parse(text) as Partial<StagingCheckpoint>;
    // Version 0.2.0 staged files without a nonce, unencrypted.
    const isValid = identity && nonce && Number.isSafeInteger(bytes);
    return isValid ? { identity, nonce, bytes: Number(bytes) } : undefined;
  } catch {
    return undefined;
  }
}
