// Measures many small files against one file of the same total size, over links with latency; the cost of a file as their
// number grows; and the processor time of a large file against a bare pipeline. All in a real browser, through the screens.
// Arguments: some of the parts (links, counts, costs), or none for all; --quick for a short run; --json and a file name.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../scripts/ensure-built.mjs';
import { measureCosts } from './many/costs.ts';
import {
  busyShare,
  type CostFigure,
  type CountFigure,
  type Figures,
  growthOf,
  type LinkFigure,
  perFileMs,
  ratioOf,
} from './many/figures.ts';
import { measureCount, measureLink } from './many/transfers.ts';
import { ROUNDS } from './measuring.ts';

const SMALL_KB = 28;
const LARGE_KB = 2048;

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    /** How many files of 28 KB and of 2 MB. */
    small: { type: 'string' },
    large: { type: 'string' },
    'round-trips': { type: 'string' },
    counts: { type: 'string' },
    megabytes: { type: 'string' },
    rounds: { type: 'string' },
    json: { type: 'string' },
  },
});

const numbers = (list: string) => list.split(',').map(Number);
const choose = (value: string | undefined, full: string, quick: string) => value ?? (given.quick ? quick : full);
const small = Number(choose(given.small, '1000', '30'));
const large = Number(choose(given.large, '200', '5'));
const roundTripsMs = numbers(choose(given['round-trips'], '0,20,50,100', '0,50'));
const fileCounts = numbers(choose(given.counts, '10,100,1000', '3,10,30'));
const megabytes = Number(choose(given.megabytes, '1024', '200'));
const rounds = Number(choose(given.rounds, String(ROUNDS), '1'));

const folder = mkdtempSync(join(tmpdir(), 'furoshiki-many-'));
const figures: Figures = {
  date: new Date().toISOString().slice(0, 10),
  cores: availableParallelism(),
  load: loadavg()[1] ?? 0,
  isQuick: given.quick,
  links: [],
  counts: [],
  costs: [],
};

/** Saves what is there so far: a run takes long enough to be interrupted. */
function save(): void {
  if (given.json !== undefined) writeFileSync(given.json, `${JSON.stringify(figures, undefined, 2)}\n`);
}

function printRow(what: string, ...cells: string[]): void {
  console.log(`${what.padEnd(44)}${cells.map((cell) => cell.padStart(14)).join('')}`);
}

const percent = (share: number) => `${(share * 100).toFixed(0)} %`;

function printLink(figure: LinkFigure): void {
  const { count, fileKb, roundTripMs, way, many, one } = figure;
  printRow(
    `${way}, ${count} files of ${fileKb} KB, ${roundTripMs} ms`,
    `${many.seconds.toFixed(1)} s`,
    `${one.seconds.toFixed(1)} s`,
    ratioOf(figure).toFixed(1),
    `${perFileMs({ seconds: many.seconds, count }).toFixed(0)} ms`,
    percent(busyShare(many)),
    percent(busyShare(one)),
  );
}

async function links(): Promise<void> {
  printRow('many files over a link', 'many', 'one', 'ratio', 'per file', 'thread, many', 'thread, one');
  for (const [count, fileKb] of [
    [small, SMALL_KB],
    [large, LARGE_KB],
  ] as const) {
    for (const roundTripMs of roundTripsMs) {
      const measured = await measureLink(folder, { count, fileKb, roundTripMs, rounds });
      measured.forEach(printLink);
      figures.links.push(...measured);
      save();
    }
  }
}

function printCount(figure: CountFigure): void {
  const { way, count, fileKb } = figure;
  const perFile = `${perFileMs(figure).toFixed(0)} ms`;
  printRow(`${way}, ${count} files of ${fileKb} KB`, perFile, growthOf(figure, figures.counts).toFixed(2));
}

async function counts(): Promise<void> {
  for (const count of fileCounts) {
    figures.counts.push(...(await measureCount(folder, { count, fileKb: SMALL_KB, rounds })));
    save();
  }
  printRow('number of files, without latency', 'per file', 'ratio');
  figures.counts.forEach(printCount);
}

function printCost({ way, ours, bare }: CostFigure): void {
  const ratio = (ours.browserCpuSeconds / bare.browserCpuSeconds).toFixed(2);
  const cells = [ours.browserCpuSeconds, bare.browserCpuSeconds].map((seconds) => `${seconds.toFixed(1)} s`);
  const servers = [ours.serverCpuSeconds, bare.serverCpuSeconds].map((seconds) => `${seconds.toFixed(2)} s`);
  printRow(`${way} of ${megabytes} MB`, ...cells, ratio, ...servers);
}

async function costs(): Promise<void> {
  figures.costs.push(...(await measureCosts(folder, megabytes, rounds)));
  save();
  printRow('processor time per GiB', 'browser', 'bare', 'ratio', 'server', 'bare server');
  figures.costs.forEach(printCost);
}

const parts: Record<string, () => Promise<void>> = { links, counts, costs };

ensureBuilt();
try {
  for (const name of positionals.length > 0 ? positionals : Object.keys(parts))
    await (parts[name]?.() ?? Promise.reject(new Error(`no such part: ${name}`)));
} finally {
  rmSync(folder, { recursive: true });
}
