// Reuses the memory of an opened chunk for the next one. Fresh memory costs a page fault per 4 KB, and is freed late.

let spare: ArrayBuffer | undefined;

export function takeMemory(length: number): ArrayBuffer {
  const taken = spare?.byteLength === length ? spare : new ArrayBuffer(length);
  spare = undefined;
  return taken;
}

/** The caller must not read it again. */
export function giveMemoryBack(used: ArrayBuffer): void {
  spare = used;
}
