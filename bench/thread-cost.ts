// The processor time of a browser by process and thread.
import { readdirSync, readFileSync } from 'node:fs';
import { descendantsOf, TICKS_PER_SECOND } from './process-cost.ts';

/** Threads end during a measurement, so they are read this often. */
const SAMPLE_MS = 200;

/** Seconds, by "process, thread". */
export type ThreadCosts = Record<string, number>;

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // It has ended in the meantime.
  }
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** What Chromium calls the process: `browser`, `renderer`, `network`, … */
function roleOf(pid: number): string {
  const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
  const service = /--utility-sub-type=(\w+)/u.exec(command)?.[1];
  return service ?? /--type=([\w-]+)/u.exec(command)?.[1] ?? 'browser';
}

/** The number at the end of a name distinguishes threads that do the same work. */
const withoutNumber = (name: string) => name.replace(/[\d#/]+$/u, '').trim();

/** Returns the seconds of processor time that the threads below `root` took during the work. */
export async function threadCosts(root: number, work: () => Promise<unknown>): Promise<ThreadCosts> {
  const first = new Map<string, number>();
  const last = new Map<string, { name: string; ticks: number }>();
  const roles = new Map<number, string>();
  const sample = (isFirst: boolean) => {
    for (const pid of descendantsOf(root)) {
      if (pid === root) continue;
      for (const thread of list(`/proc/${pid}/task`)) {
        const stat = read(`/proc/${pid}/task/${thread}/stat`);
        const fields = stat.split(') ').at(-1)?.split(' ') ?? [];
        const ticks = Number(fields[11]) + Number(fields[12]);
        if (!Number.isFinite(ticks)) continue;
        const role = roles.get(pid) ?? roleOf(pid);
        roles.set(pid, role);
        const id = `${pid}/${thread}`;
        if (isFirst) first.set(id, ticks);
        const name = thread === String(pid) ? 'main' : withoutNumber(/\((.*)\)/su.exec(stat)?.[1] ?? '');
        last.set(id, { name: `${role}, ${name}`, ticks });
      }
    }
  };
  sample(true);
  const timer = setInterval(() => sample(false), SAMPLE_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  sample(false);
  const costs: ThreadCosts = {};
  for (const [id, { name, ticks }] of last) {
    const seconds = (ticks - (first.get(id) ?? 0)) / TICKS_PER_SECOND;
    if (seconds > 0) costs[name] = (costs[name] ?? 0) + seconds;
  }
  return costs;
}
