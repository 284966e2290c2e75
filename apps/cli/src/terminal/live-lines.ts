// Lines at the bottom of a terminal that are drawn again when they change.
import type { Writable } from 'node:stream';

const UP_AND_CLEAR = (lines: number) => (lines === 0 ? '' : `\u001B[${lines}A\u001B[0J`);
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

export function createLiveLines(stream: Writable & { columns?: number }): LiveLines {
  let drawn = 0;
  let latest: (() => string[]) | undefined;
  let timer: NodeJS.Timeout | undefined;

  function draw(): void {
    const lines = latest?.() ?? [];
    stream.write(UP_AND_CLEAR(drawn) + lines.map((line) => `${line}\n`).join(''));
    drawn = lines.length;
  }

  return {
    get columns() {
      return stream.columns ?? 80;
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
      stream.write(`${UP_AND_CLEAR(drawn)}${line}\n`);
      drawn = 0;
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
