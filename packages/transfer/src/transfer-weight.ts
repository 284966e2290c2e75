// How much of a transfer something is. A file takes time even if it is tiny, so each counts as if it had more bytes.
import { KB } from '@furoshiki/format';

/** What a fast connection carries while a file is opened and completed. */
const WEIGHT_OF_A_FILE = 128 * KB;

export function transferWeight(bytes: number, files: number): number {
  return bytes + files * WEIGHT_OF_A_FILE;
}
