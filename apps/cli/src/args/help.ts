// The help of the program and of each command.
import {
  type CommandName,
  commands,
  type CommandSpec,
  ENVIRONMENT,
  EXIT_CODES,
  GLOBAL_OPTIONS,
  type OptionSpec,
} from './command-table.ts';

/** Longer lines are hard to read. */
const MAX_WIDTH = 80;
/** In a narrower column, descriptions would be mostly line breaks. */
const MIN_DESCRIPTION_WIDTH = 30;

export function helpOf(command: CommandName | 'all', columns = MAX_WIDTH): string {
  const width = Math.min(columns, MAX_WIDTH);
  return command === 'all' ? programHelp(width) : commandHelp(command, width);
}

export function optionName(name: string, { short, value }: OptionSpec): string {
  const long = value === undefined ? `--${name}` : `--${name} <${value}>`;
  return short === undefined ? long : `-${short}, ${long}`;
}

function programHelp(width: number): string {
  return lines([
    ...wrap('Sends files, encrypted, to people who have the link and the key.', '', width),
    '',
    'Usage: furoshiki <command> [options]',
    '',
    'Commands:',
    ...table(
      Object.entries(commands).map(([name, { argument, about }]) => [`${name} ${argument}`, about]),
      width,
    ),
    '',
    'Options:',
    ...table([...optionRows(GLOBAL_OPTIONS), ['--version', 'Show the version.']], width),
    '',
    'Environment:',
    ...table(ENVIRONMENT, width),
    '',
    'Exit codes:',
    ...table(
      EXIT_CODES.map(([code, about]) => [String(code), about]),
      width,
    ),
  ]);
}

function commandHelp(name: CommandName, width: number): string {
  const { argument, about, details, options, examples }: CommandSpec = commands[name];
  return lines([
    ...wrap(about, '', width),
    '',
    ...wrap(`Usage: furoshiki ${name} ${argument} [options]`, '', width),
    '',
    ...wrap(details, '', width),
    '',
    'Options:',
    ...table(optionRows({ ...options, ...GLOBAL_OPTIONS }), width),
    '',
    'Examples:',
    ...examples.map((example) => `  ${example}`),
  ]);
}

const optionRows = (options: Record<string, OptionSpec>) =>
  Object.entries(options).map(([name, option]) => [optionName(name, option), option.about] as const);

function table(rows: readonly (readonly [string, string])[], width: number): string[] {
  const leftWidth = Math.max(...rows.map(([left]) => left.length)) + 4;
  return rows.flatMap(([left, right]) => {
    if (width - leftWidth < MIN_DESCRIPTION_WIDTH) return [`  ${left}`, ...wrap(right, '      ', width)];
    const [first = '', ...rest] = wrap(right, ' '.repeat(leftWidth), width);
    return [`  ${left}`.padEnd(leftWidth) + first.trimStart(), ...rest];
  });
}

function wrap(text: string, indent: string, width: number): string[] {
  const wrapped: string[] = [];
  let line = indent;
  for (const word of text.split(' ')) {
    if (line.length + word.length + 1 > width && line.trim() !== '') {
      wrapped.push(line);
      line = indent;
    }
    line += line === indent ? word : ` ${word}`;
  }
  return [...wrapped, line];
}

const lines = (all: readonly string[]): string => `${all.join('\n')}\n`;
