// Turns any error of the browser's file system into SAVE_FAILED.
import { Failure } from '@furoshiki/api';

export async function orSaveFailed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Failure('SAVE_FAILED', {}, { cause });
  }
}
