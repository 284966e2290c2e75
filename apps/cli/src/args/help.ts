// The command table as text: the help of the program and of each command, the man page, and the commands of docs/CLI.md.
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

function optionName(name: string, { short, value }: OptionSpec): string {
  const long = value === undefined ? `--${name}` : `--${name} <${value}>`;
  return short === undefined ? long : `-${short}, ${long}`;
}

/** A command may have no argument. */
const usageOf = (name: string, { argument }: Pick<CommandSpec, 'argument'>) =>
  argument === '' ? name : `${name} ${argument}`;

function programHelp(width: number): string {
  return lines([
    ...wrap('End-to-end encrypted file transfer from your terminal.', '', width),
    '',
    'Usage: furoshiki <command> [options]',
    '',
    'Commands:',
    ...table(
      Object.entries<CommandSpec>(commands).map(([name, spec]) => [usageOf(name, spec), spec.about]),
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
  const spec: CommandSpec = commands[name];
  const { about, details, options, examples } = spec;
  return lines([
    ...wrap(about, '', width),
    '',
    ...wrap(`Usage: furoshiki ${usageOf(name, spec)} [options]`, '', width),
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

export function manPage(version: string): string {
  const described = Object.entries<CommandSpec>(commands).flatMap(
    ([name, { argument, about, details, options, examples }]) => [
      `.SS furoshiki ${escape(usageOf(name, { argument }))}`,
      escape(`${about} ${details}`),
      ...optionList(options),
      ...examples.flatMap((example) => ['.PP', '.nf', `    ${escape(example)}`, '.fi']),
    ],
  );
  return `${[
    `.TH FUROSHIKI 1 "" "furoshiki ${version}"`,
    '.SH NAME',
    'furoshiki \\- send and receive encrypted files',
    '.SH SYNOPSIS',
    '.B furoshiki',
    '\\fIcommand\\fR [\\fIoptions\\fR]',
    '.SH DESCRIPTION',
    'Encrypts files on this machine and sends them to a Furoshiki server. Anyone who has the link and the key can download them, until they expire or reach their download limit.',
    '.SH COMMANDS',
    ...described,
    '.SH OPTIONS',
    ...optionList(GLOBAL_OPTIONS),
    '.SH ENVIRONMENT',
    ...ENVIRONMENT.flatMap(([name, about]) => ['.TP', `.B ${escape(name)}`, escape(about)]),
    '.SH EXIT STATUS',
    ...EXIT_CODES.flatMap(([code, about]) => ['.TP', `.B ${code}`, escape(about)]),
  ].join('\n')}\n`;
}

function optionList(options: Record<string, OptionSpec>): string[] {
  return Object.entries(options).flatMap(([name, option]) => [
    '.TP',
    `.B ${escape(optionName(name, option))}`,
    escape(option.about),
  ]);
}

/** A backslash, a dash and a dot at the beginning of a line mean something in roff. */
function escape(text: string): string {
  return text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replace(/^[.']/u, '\\&$&');
}

type Row = readonly [string, string];

/** `toTable` formats rows with their header, as the other generated tables of the docs are. */
export function commandsMarkdown(toTable: (header: Row, rows: readonly Row[]) => string): string {
  const optionTable = (options: Record<string, OptionSpec>) =>
    toTable(
      ['option', 'meaning'],
      optionRows(options).map(([name, about]) => [`\`${name.replaceAll('|', '\\|')}\``, about]),
    );
  const sections = Object.entries<CommandSpec>(commands).map(
    ([name, { argument, about, details, options, examples }]) =>
      [
        `### furoshiki ${usageOf(name, { argument }).replaceAll('<', '\\<')}`,
        `${about} ${details}`,
        ...(Object.keys(options).length === 0 ? [] : [optionTable(options)]),
        ['```sh', ...examples, '```'].join('\n'),
      ].join('\n\n'),
  );
  return [
    ...sections,
    '### Options of every command',
    optionTable(GLOBAL_OPTIONS),
    '### Environment',
    toTable(
      ['variable', 'meaning'],
      ENVIRONMENT.map(([name, about]) => [`\`${name}\``, about]),
    ),
    '### Exit codes',
    toTable(
      ['code', 'meaning'],
      EXIT_CODES.map(([code, about]) => [`${code}`, about]),
    ),
  ].join('\n\n');
}
