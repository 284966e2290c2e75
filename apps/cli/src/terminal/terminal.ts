// Standard input, output and error: results go to output, everything else to error, with lines below it that change while
// something runs.
import type { Readable, Writable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import { Failure } from '@furoshiki/api';
import { printable, printableJson } from './printable.ts';
import { textWidth, wrapWords } from './text-width.ts';

export interface Streams {
  stdin: Readable & Partial<ReadStream>;
  stdout: Writable & Partial<WriteStream>;
  stderr: Writable & Partial<WriteStream>;
}

type Style = 'bold' | 'cyan' | 'green' | 'red' | 'yellow';

/** Whatever is printed here cannot control the terminal: names and texts of others are in most lines. */
export interface Terminal {
  streams: Streams;
  /** Whether the result is for a person who reads it here. If not, programs and screen readers get lines without decoration. */
  isDecorated: boolean;
  /** The result, for people and for programs. */
  print(line: string, style?: Style): void;
  /** Our own lines, with headings that end with a colon. */
  printHelp(lines: string): void;
  /** A picture of our own, with colors that it needs. Without them if there are none here. */
  printPicture(lines: string, colors: string): void;
  /** The result, for programs. */
  printJson(value: unknown, indent?: number): void;
  /** The same if standard output has something else. */
  printJsonToError(value: unknown): void;
  /** What happens, for people only. */
  note(line: string, style?: Style): void;
  error(line: string): void;
  /** Lines that change while something runs. Undefined if error is not a terminal that can do this, or `--quiet` is set. */
  live: LiveLines | undefined;
  canAsk: boolean;
  /** Reads a line. What is typed is not shown if `isSecret` is set. */
  ask(prompt: string, isSecret: boolean): Promise<string>;
  /** Reads standard input to its end. Fails if it is longer than a key can be. */
  readInput(): Promise<string>;
}

const MAX_INPUT_LENGTH = 10_000;

interface TerminalOptions {
  quiet?: boolean;
  /** As in a pipe: no colors, no labels, and no lines that change. */
  plain?: boolean;
}

export function createTerminal(
  streams: Streams,
  { TERM, NO_COLOR }: NodeJS.ProcessEnv,
  { quiet = false, plain = false }: TerminalOptions = {},
): Terminal {
  const { stdin, stdout, stderr } = streams;
  const isCapable = TERM !== 'dumb' && !plain;
  const hasColors = isCapable && !NO_COLOR;
  const styled = (stream: Streams['stdout'], style: Style | undefined, text: string) =>
    // The stream is not always one of this process, so it is not looked at by Node.
    style && hasColors && stream.isTTY ? styleText(style, text, { validateStream: false }) : text;
  const live = stderr.isTTY && !quiet && isCapable ? createLiveLines(stderr, hasColors) : undefined;
  const toError = (line: string, style?: Style) => {
    const safe = printable(line);
    const wrapped = stderr.isTTY ? wrapWords(safe, stderr.columns || Number.POSITIVE_INFINITY) : safe;
    const shown = styled(stderr, style, wrapped);
    if (live) live.log(shown);
    else stderr.write(`${shown}\n`);
  };
  return {
    streams,
    live,
    isDecorated: stdout.isTTY === true && isCapable && !quiet,
    print(line, style) {
      live?.clear();
      stdout.write(`${styled(stdout, style, printable(line))}\n`);
    },
    printHelp: (lines) =>
      void stdout.write(lines.replaceAll(/^\S.*:$/gmu, (heading) => styled(stdout, 'bold', heading))),
    printPicture: (lines, colors) =>
      void stdout.write(
        stdout.isTTY && hasColors ? `${lines.replaceAll(/^.+$/gmu, `${colors}$&\u001B[0m`)}\n` : `${lines}\n`,
      ),
    printJson(value, indent = 2) {
      live?.clear();
      stdout.write(`${printableJson(value, indent)}\n`);
    },
    printJsonToError(value) {
      live?.clear();
      stderr.write(`${printableJson(value, 2)}\n`);
    },
    note(line, style) {
      if (!quiet) toError(line, style);
    },
    error: (line) => toError(line, 'red'),
    canAsk: stdin.isTTY === true && stderr.isTTY === true,
    ask(prompt, isSecret) {
      live?.clear();
      return readLine(printable(prompt), stdin, stderr, isSecret);
    },
    async readInput() {
      let text = '';
      for await (const piece of stdin) {
        text += String(piece);
        if (text.length > MAX_INPUT_LENGTH) throw new Failure('KEY_INVALID_CHARACTERS');
      }
      return text;
    },
  };
}

/** In raw mode, because only then nothing is shown. Rejects with CANCELLED on Ctrl-C. */
function readLine(prompt: string, stdin: Streams['stdin'], stderr: Writable, isSecret: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let line = '';
    stdin.setRawMode?.(true);
    // Not before: the terminal would show a key that is pasted at once.
    stderr.write(prompt);
    stdin.setEncoding('utf8');
    stdin.resume();
    const end = (settle: () => void) => {
      stdin.off('data', read).off('end', cancel);
      stdin.setRawMode?.(false);
      stdin.pause();
      stderr.write('\n');
      settle();
    };
    const cancel = () => end(() => reject(new Failure('CANCELLED')));
    const read = (typed: string) => {
      let at = 0;
      for (const character of typed) {
        at += character.length;
        if (character === '\r' || character === '\n') {
          end(() => resolve(line));
          // The answer to the next question may have been pasted with it.
          if (at < typed.length) stdin.unshift(typed.slice(at), 'utf8');
          return undefined;
        }
        if (character === '\u0003' || character === '\u0004') return cancel();
        if (character === '\u007f' || character === '\b') {
          if (line !== '' && !isSecret) stderr.write('\b \b');
          line = line.slice(0, -1);
        } else if (character >= ' ') {
          line += character;
          if (!isSecret) stderr.write(character);
        }
      }
      return undefined;
    };
    stdin.on('data', read).on('end', cancel);
  });
}

/** From the first column: Ctrl-C has shown `^C`. */
const UP_AND_CLEAR = (rows: number) => (rows === 0 ? '' : `\r\u001B[${rows}A\u001B[0J`);
/** Ten times a second is smooth enough. */
const PAUSE_MS = 100;

/** Lines at the bottom of a terminal that are drawn again when they change. */
interface LiveLines {
  readonly columns: number;
  /** Draws the lines now, or a little later if they were just drawn. */
  show(makeLines: () => string[]): void;
  /** Prints a line above them. */
  log(line: string): void;
  clear(): void;
}

export function createLiveLines(stream: Writable & { columns?: number; rows?: number }, hasColors: boolean): LiveLines {
  let drawn: readonly string[] = [];
  let latest: (() => string[]) | undefined;
  let timer: NodeJS.Timeout | undefined;

  const columns = () => stream.columns || 80;
  /** A line that is wider than the terminal takes several rows, also if the terminal has become narrower since. */
  const rowsOf = (line: string) => Math.max(1, Math.ceil(textWidth(line) / columns()));
  const erase = () => UP_AND_CLEAR(drawn.reduce((sum, line) => sum + rowsOf(line), 0));

  const colored = (line: string) =>
    hasColors ? line.replace(/[█░]+/u, (bar) => styleText('cyan', bar, { validateStream: false })) : line;

  /** The last ones, if there are more than the terminal has rows: what has scrolled away cannot be drawn again. */
  function fitting(lines: readonly string[]): readonly string[] {
    let free = (stream.rows || 24) - 1;
    const first = lines.findLastIndex((line) => (free -= rowsOf(line)) < 0);
    return lines.slice(first + 1);
  }

  function draw(): void {
    const lines = fitting((latest?.() ?? []).map(printable));
    stream.write(erase() + lines.map((line) => `${colored(line)}\n`).join(''));
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
