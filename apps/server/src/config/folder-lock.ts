// A lock that one process holds on a file, for as long as it runs.
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';

export interface HeldLock {
  release(): void;
}

const SQLITE_BUSY = 5;
const RETRY_MS = 50;

/**
 * Returns undefined if another process holds the lock.
 *
 * Node has no lock for files, and a file with a process id would outlive a crash. SQLite locks with fcntl: the kernel releases
 * the lock when the process ends, in whatever way, and all containers of a machine share it. The file stays empty, because
 * nothing is ever written to this database, and with its journal in memory no other file can be left behind.
 *
 * This process must not open the file in any other way: closing it would release the lock.
 */
export function tryToLock(path: string): HeldLock | undefined {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
  return { release: () => database.close() };
}

/** Waits for the lock if another process holds it. `onWait` is called before that. */
export async function lockWithin(path: string, waitMs: number, onWait?: () => void): Promise<HeldLock | undefined> {
  const first = tryToLock(path);
  if (first) return first;
  if (waitMs > 0) onWait?.();
  for (let waitedMs = 0; waitedMs < waitMs; waitedMs += RETRY_MS) {
    await setTimeout(RETRY_MS);
    const held = tryToLock(path);
    if (held) return held;
  }
  return undefined;
}
