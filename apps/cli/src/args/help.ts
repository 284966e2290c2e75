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

const WIDTH = 80;

export function helpOf(command: CommandName | 'all'): string {
  return command === 'all' ? programHelp() : commandHelp(command);
}

export function optionName(name: string, { short, value }: OptionSpec): string {
  const long = value === undefined ? `--${name}` : `--${name} <${value}>`;
  return short === undefined ? long : `-${short}, ${long}`;
}

function programHelp(): string {
  return lines([
    'Sends files, encrypted, to people who have the link and the key.',
    '',
    'Usage: furoshiki <command> [options]',
    '',
    'Commands:',
    ...table(Object.entries(commands).map(([name, { argument, about }]) => [`${name} ${argument}`, about])),
    '',
    'Options:',
    ...table([...optionRows(GLOBAL_OPTIONS), ['--version', 'Show the version.']]),
    '',
    'Environment:',
    ...table(ENVIRONMENT),
    '',
    'Exit codes:',
    ...table(EXIT_CODES.map(([code, about]) => [String(code), about])),
  ]);
}

function commandHelp(name: CommandName): string {
  const { argument, about, details, options, examples }: CommandSpec = commands[name];
  return lines([
    about,
    '',
    `Usage: furoshiki ${name} ${argument} [options]`,
    '',
    ...wrap(details, ''),
    '',
    'Options:',
    ...table(optionRows({ ...options, ...GLOBAL_OPTIONS })),
    '',
    'Examples:',
    ...examples.map((example) => `  ${example}`),
  ]);
}

const optionRows = (options: Record<string, OptionSpec>) =>
  Object.entries(options).map(([name, option]) => [optionName(name, option), option.about] as const);

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length)) + 4;
  return rows.flatMap(([left, right]) => {
    const [first = '', ...rest] = wrap(right, ' '.repeat(width));
    return [`  ${left}`.padEnd(width) + first.trimStart(), ...rest];
  });
}

function wrap(text: string, indent: string): string[] {
  const wrapped: string[] = [];
  let line = indent;
  for (const word of text.split(' ')) {
    if (line.length + word.length + 1 > WIDTH && line.trim() !== '') {
      wrapped.push(line);
      line = indent;
    }
    line += line === indent ? word : ` ${word}`;
  }
  return [...wrapped, line];
}

const lines = (all: readonly string[]): string => `${all.join('\n')}\n`;
