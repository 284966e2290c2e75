// A mutex between processes. Others wait for the holder, up to a limit.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const POLL_MS = 200;
const LIMIT_MS = 10 * 60_000;

/** @param {string} lock */
function isAbandoned(lock) {
  try {
    process.kill(Number(readFileSync(join(lock, 'pid'), 'utf8')), 0);
    return false;
  } catch (error) {
    // ESRCH: the holder was killed. Any other error (no pid file yet, process of another user) means that it is alive.
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'ESRCH';
  }
}

/** @param {string} lock */
function tryAcquire(lock) {
  try {
    mkdirSync(lock);
    writeFileSync(join(lock, 'pid'), String(process.pid));
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    return false;
  }
}

/**
 * @param {string} lock folder that exists while the lock is held
 * @param {() => void} work synchronous
 */
export function withLock(lock, work) {
  mkdirSync(dirname(lock), { recursive: true });
  const deadlineMs = Date.now() + LIMIT_MS;
  while (!tryAcquire(lock)) {
    if (isAbandoned(lock)) rmSync(lock, { recursive: true, force: true });
    else if (Date.now() > deadlineMs) throw new Error(`Another process holds ${lock}; if none runs, remove it.`);
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
  }
  try {
    work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}
