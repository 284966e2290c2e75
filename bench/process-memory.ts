// The memory of a process and all its descendants. PSS counts shared memory only once.
import { readdirSync, readFileSync } from 'node:fs';

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // The process has ended in the meantime.
  }
}

function descendantsOf(root: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  // The program name, in brackets, may contain any character; the parent is the second field after it.
  const parentOf = new Map(
    pids.map((pid) => [pid, Number(read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ')[1])]),
  );
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === root || isBelow(parentOf.get(pid)));
  return pids.filter(isBelow);
}

export function memoryMb(root: number): number {
  const sizes = descendantsOf(root).map((pid) =>
    Number(/^Pss:\s+(\d+)/mu.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0),
  );
  return (sizes.reduce((sum, kb) => sum + kb, 0) * 1024) / 1e6;
}
