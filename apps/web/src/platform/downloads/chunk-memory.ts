// The memory of a chunk that has been opened, for the next one. Fresh memory costs a page fault for every 4 KB, and what is
// garbage stays for long.

let spare: ArrayBuffer | undefined;

export function takeMemory(length: number): ArrayBuffer {
  const taken = spare?.byteLength === length ? spare : new ArrayBuffer(length);
  spare = undefined;
  return taken;
}

/** Nobody may read it any more. */
export function giveMemoryBack(used: ArrayBuffer): void {
  spare = used;
}
