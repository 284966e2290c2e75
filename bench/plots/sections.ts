// The sections of docs/PERFORMANCE.md that come from figures: a table and a chart each.
import { markdownTable } from '../../scripts/markdown-table.mjs';
import {
  busyShare,
  type CostFigure,
  type CountFigure,
  type Figures,
  growthOf,
  type LinkFigure,
  perFileMs,
  ratioOf,
  type Way,
} from '../many/figures.ts';
import { type BarChart, shortNumber } from './bar-chart.ts';

export interface Section {
  heading: string;
  /** What the table shows, in a sentence. */
  lead: string;
  table: string;
  chart: BarChart;
  chartFile: string;
}

const WAY_NAMES: Record<Way, string> = {
  upload: 'upload',
  'single files': 'download, single files',
  ZIP: 'download as ZIP',
};
const WAYS: Way[] = ['upload', 'single files', 'ZIP'];
const SERIES = WAYS.map((way) => WAY_NAMES[way]);

const seconds = (value: number) => `${shortNumber(value)} s`;
const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
const sizeOf = (kb: number) => (kb < 1024 ? `${kb} KB` : `${Math.round(kb / 1024)} MB`);
const distinct = (numbers: number[]) => [...new Set(numbers)].toSorted((a, b) => a - b);

/** Returns the numbers of all ways, in the order of the series. */
const byWay = <Figure extends { way: Way }>(figures: Figure[], valueOf: (figure: Figure) => number) =>
  WAYS.map((way) => figures.filter((figure) => figure.way === way).map(valueOf)[0] ?? 0);

function linkSection(count: number, fileKb: number, figures: LinkFigure[]): Section {
  const what = `${count.toLocaleString('en')} files of ${sizeOf(fileKb)}`;
  const rows = WAYS.flatMap((way) => figures.filter((figure) => figure.way === way)).map((figure) => [
    WAY_NAMES[figure.way],
    `${figure.roundTripMs} ms`,
    seconds(figure.many.seconds),
    seconds(figure.one.seconds),
    shortNumber(ratioOf(figure)),
    `${shortNumber(perFileMs({ seconds: figure.many.seconds, count }))} ms`,
    percent(busyShare(figure.many)),
    percent(busyShare(figure.one)),
  ]);
  const head = ['way', 'round trip', 'many', 'one', 'ratio', 'per file', 'main thread, many', 'main thread, one'];
  return {
    heading: what,
    lead: `“One” is a file of ${sizeOf(count * fileKb)}. The ratio is the time of many files divided by that of one.`,
    table: markdownTable([head, ...rows]),
    chart: {
      title: `${what}, compared with one file of the same size`,
      xLabel: 'round-trip time of the link',
      yLabel: 'times as long as one file',
      series: SERIES,
      groups: distinct(figures.map(({ roundTripMs }) => roundTripMs)).map((roundTripMs) => ({
        label: `${roundTripMs} ms`,
        values: byWay(
          figures.filter((figure) => figure.roundTripMs === roundTripMs),
          ratioOf,
        ),
      })),
      line: { value: 1, label: 'one file' },
    },
    chartFile: `files-of-${sizeOf(fileKb).replace(' ', '-').toLowerCase()}.svg`,
  };
}

function countSection(figures: CountFigure[]): Section {
  const counts = distinct(figures.map(({ count }) => count));
  const size = sizeOf(figures[0]?.fileKb ?? 0);
  const cell = (figure: CountFigure | undefined) =>
    figure ? `${shortNumber(perFileMs(figure))} ms (${growthOf(figure, figures).toFixed(2)})` : '';
  const rows = WAYS.map((way) => [
    WAY_NAMES[way],
    ...counts.map((count) => cell(figures.find((figure) => figure.way === way && figure.count === count))),
  ]);
  const middle = (counts[Math.floor(counts.length / 2)] ?? 0).toLocaleString('en');
  return {
    heading: 'Time per file as their number grows',
    lead: `Files of ${size}, without latency. In brackets: the ratio to the time per file of ${middle} files.`,
    table: markdownTable([['way', ...counts.map((count) => `${count.toLocaleString('en')} files`)], ...rows]),
    chart: {
      title: `Time per file of ${size}`,
      xLabel: 'number of files',
      yLabel: 'ms per file',
      series: SERIES,
      groups: counts.map((count) => ({
        label: count.toLocaleString('en'),
        values: byWay(
          figures.filter((figure) => figure.count === count),
          perFileMs,
        ),
      })),
    },
    chartFile: 'number-of-files.svg',
  };
}

function costSection(figures: CostFigure[]): Section {
  const rows = figures.map(({ way, ours, bare }) => [
    way,
    seconds(ours.browserCpuSeconds),
    seconds(bare.browserCpuSeconds),
    shortNumber(ours.browserCpuSeconds / bare.browserCpuSeconds),
    seconds(ours.serverCpuSeconds),
    seconds(bare.serverCpuSeconds),
    seconds(ours.seconds),
    seconds(bare.seconds),
  ]);
  const head = ['per GiB', 'browser', 'bare pipeline', 'ratio', 'server', 'bare server', 'time', 'bare time'];
  const { megabytes = 0, rounds = 0 } = figures[0] ?? {};
  return {
    heading: 'Processor time of a large file',
    lead: `One file of ${megabytes} MB over loopback, medians of ${rounds}. “Browser” is all its processes together.`,
    table: markdownTable([head, ...rows]),
    chart: {
      title: 'Processor time per GiB',
      xLabel: 'direction',
      yLabel: 'seconds of processor time per GiB',
      series: ['browser', 'browser, bare pipeline', 'server'],
      groups: figures.map(({ way, ours, bare }) => ({
        label: way,
        values: [ours.browserCpuSeconds, bare.browserCpuSeconds, ours.serverCpuSeconds],
      })),
    },
    chartFile: 'processor-time.svg',
  };
}

/** Leaves out what was not measured. */
export function sectionsOf({ links, counts, costs }: Figures): Section[] {
  const bySize = Map.groupBy(links, ({ fileKb }) => fileKb);
  return [
    ...[...bySize].map(([fileKb, figures]) => linkSection(figures[0]?.count ?? 0, fileKb, figures)),
    ...(counts.length > 0 ? [countSection(counts)] : []),
    ...(costs.length > 0 ? [costSection(costs)] : []),
  ];
}
