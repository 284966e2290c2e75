// The memory of a process and all its descendants. PSS counts what several of them share once.
import { readdirSync, readFileSync } from 'node:fs';

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // It has ended meanwhile.
  }
}

function descendantsOf(root: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  // The name of a program, in brackets, may hold anything; the parent is the second field after it.
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
