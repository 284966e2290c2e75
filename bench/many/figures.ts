// What bench/many measures, as it is written to JSON and read by bench/plots.

export type Way = 'upload' | 'single files' | 'ZIP';

export interface Transfer {
  seconds: number;
  /** Processor time of the page's main thread. */
  mainThreadSeconds: number;
}

/** Many files over a link, and one file of the same total size over the same link. */
export interface LinkFigure {
  count: number;
  fileKb: number;
  roundTripMs: number;
  way: Way;
  many: Transfer;
  one: Transfer;
}

/** The same files in different numbers, over a link without latency. */
export interface CountFigure extends Transfer {
  count: number;
  fileKb: number;
  way: Way;
}

/** Medians of one large file, per GiB. */
export interface Cost {
  seconds: number;
  browserCpuSeconds: number;
  serverCpuSeconds: number;
}

export interface CostFigure {
  way: 'upload' | 'download';
  megabytes: number;
  rounds: number;
  ours: Cost;
  bare: Cost;
}

export interface Figures {
  date: string;
  cores: number;
  /** The load of the machine before the run, as an average of five minutes. */
  load: number;
  /** A run with few files, which shows that everything works. */
  isQuick: boolean;
  links: LinkFigure[];
  counts: CountFigure[];
  costs: CostFigure[];
}

export const ratioOf = ({ many, one }: LinkFigure) => many.seconds / one.seconds;
export const perFileMs = ({ seconds, count }: { seconds: number; count: number }) => (seconds / count) * 1000;
/** How much of the time the page's main thread worked. */
export const busyShare = ({ seconds, mainThreadSeconds }: Transfer) => mainThreadSeconds / seconds;

/** Returns the time per file as a ratio to that of the middle number of files. */
export function growthOf(figure: CountFigure, counts: CountFigure[]): number {
  const same = counts.filter(({ way }) => way === figure.way).toSorted((a, b) => a.count - b.count);
  const reference = same[Math.floor(same.length / 2)] ?? figure;
  return perFileMs(figure) / perFileMs(reference);
}
