// The man page, in roff.
import {
  commands,
  type CommandSpec,
  ENVIRONMENT,
  EXIT_CODES,
  GLOBAL_OPTIONS,
  type OptionSpec,
} from './command-table.ts';
import { optionName } from './help.ts';

export function manPage(version: string): string {
  const described = Object.entries<CommandSpec>(commands).flatMap(
    ([name, { argument, about, details, options, examples }]) => [
      `.SS furoshiki ${escape(name)} ${escape(argument)}`,
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
    'Encrypts files on this machine and sends them to a Furoshiki server. Everyone who has the link and the key can download them, until the time or the number of downloads has run out.',
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
