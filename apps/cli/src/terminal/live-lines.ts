// Lines at the bottom of a terminal that are drawn again when they change.
import type { Writable } from 'node:stream';
import { textWidth } from './text-width.ts';

/** From the first column: Ctrl-C has shown `^C`. */
const UP_AND_CLEAR = (rows: number) => (rows === 0 ? '' : `\r\u001B[${rows}A\u001B[0J`);
/** Ten times a second is smooth enough. */
const PAUSE_MS = 100;

export interface LiveLines {
  readonly columns: number;
  /** Draws the lines now, or a little later if they were just drawn. */
  show(makeLines: () => string[]): void;
  /** Prints a line above them. */
  log(line: string): void;
  clear(): void;
}

export function createLiveLines(stream: Writable & { columns?: number; rows?: number }): LiveLines {
  let drawn: readonly string[] = [];
  let latest: (() => string[]) | undefined;
  let timer: NodeJS.Timeout | undefined;

  const columns = () => stream.columns || 80;
  /** A line that is wider than the terminal takes several rows, also if the terminal has become narrower since. */
  const rowsOf = (line: string) => Math.max(1, Math.ceil(textWidth(line) / columns()));
  const erase = () => UP_AND_CLEAR(drawn.reduce((sum, line) => sum + rowsOf(line), 0));

  /** The last ones, if there are more than the terminal has rows: what has scrolled away cannot be drawn again. */
  function fitting(lines: readonly string[]): readonly string[] {
    let free = (stream.rows || 24) - 1;
    const first = lines.findLastIndex((line) => (free -= rowsOf(line)) < 0);
    return lines.slice(first + 1);
  }

  function draw(): void {
    const lines = fitting(latest?.() ?? []);
    stream.write(erase() + lines.map((line) => `${line}\n`).join(''));
    drawn = lines;
  }

  return {
    get columns() {
      return columns();
    },
    show(makeLines) {
      latest = makeLines;
      if (timer !== undefined) return;
      draw();
      timer = setTimeout(() => {
        timer = undefined;
        if (latest) draw();
      }, PAUSE_MS);
    },
    log(line) {
      stream.write(`${erase()}${line}\n`);
      drawn = [];
      if (latest) draw();
    },
    clear() {
      clearTimeout(timer);
      timer = undefined;
      latest = undefined;
      draw();
    },
  };
}
