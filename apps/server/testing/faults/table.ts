// The table of faults in docs/OPERATING.md.
import { markdownTable } from '../../../../scripts/markdown-table.mjs';
import type { Observation } from './probes.ts';

const BEGIN = '<!-- faults: written by `npx vitest run --project server fault-matrix -u` -->';
const END = '<!-- end of faults -->';
const HEAD = ['fault', 'start', 'doctor', 'upload', 'download', '/readyz', 'metrics', 'log'];

/** Returns the page with these rows. A fault that was not observed keeps its row. */
export function withFaults(page: string, names: readonly string[], seen: ReadonlyMap<string, Observation>): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin)
    throw new Error('docs/OPERATING.md has lost the two comments around its table of faults');
  const before = page.slice(begin, end).split('\n').map(cellsOf);
  const rows = names.map((name) => {
    const observation = seen.get(name);
    return observation
      ? rowOf(name, observation)
      : (before.find(([first]) => first === name) ?? [name, ...HEAD.slice(1).map(() => 'not observed')]);
  });
  return `${page.slice(0, begin)}${BEGIN}\n\n${markdownTable([HEAD, ...rows])}\n\n${page.slice(end)}`;
}

const cellsOf = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

function rowOf(name: string, { start, doctor, upload, download, readyz, metrics, log }: Observation): string[] {
  return [name, start, doctor, upload, download, readyz, metrics, log].map((text) => (text === '' ? 'nothing' : text));
}
