// The memory and the processor time of a process and all its descendants.
import { readdirSync, readFileSync } from 'node:fs';

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // The process has ended in the meantime.
  }
}

/** The program name, in brackets, may contain any character. Returns the fields after it: state, parent, … */
const statOf = (pid: number) => read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];

export function descendantsOf(root: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const parentOf = new Map(pids.map((pid) => [pid, Number(statOf(pid)[1])]));
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === root || isBelow(parentOf.get(pid)));
  return pids.filter(isBelow);
}

/** PSS, which counts shared memory only once. */
export function memoryMb(root: number): number {
  const sizes = descendantsOf(root).map((pid) =>
    Number(/^Pss:\s+(\d+)/mu.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0),
  );
  return (sizes.reduce((sum, kb) => sum + kb, 0) * 1024) / 1e6;
}

/** The unit of /proc: a hundredth of a second on every Linux that Node runs on. */
export const TICKS_PER_SECOND = 100;

/** Counts the user and the system time of a process and of those of its children that have ended. */
export function cpuSeconds(pid: number): number {
  const ticks = statOf(pid).slice(11, 15).map(Number);
  return ticks.reduce((sum, count) => sum + count, 0) / TICKS_PER_SECOND;
}

/** Without `root` itself, which is the driver of a browser. */
export function cpuSecondsBelow(root: number): number {
  const pids = descendantsOf(root).filter((pid) => pid !== root);
  return pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
}
