// The size of a file as the server sees it.
import { paddedSize } from '@furoshiki/format';

/** Padding is sent too. */
export function sizeToSend(size: number, hidesNames: boolean): number {
  return hidesNames ? paddedSize(size) : size;
}
