// A lock that is held by a process: a file with its id. A process that was killed holds no lock.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export type Release = () => void;

/** Returns undefined if another running process holds the lock. */
export function acquireLock(path: string): Release | undefined {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // A second attempt follows the removal of a lock whose process is gone.
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx', mode: 0o600 });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (isRunning(holderOf(path))) return undefined;
      rmSync(path, { force: true });
    }
  }
  return undefined;
}

function holderOf(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return 0;
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
