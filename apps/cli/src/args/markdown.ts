// The part of docs/CLI.md that describes the commands.
import {
  commands,
  type CommandSpec,
  ENVIRONMENT,
  EXIT_CODES,
  GLOBAL_OPTIONS,
  type OptionSpec,
} from './command-table.ts';
import { optionName } from './help.ts';

type Row = readonly [string, string];

/** `table` formats rows with their header, as the other generated tables of the docs are. */
export function commandsMarkdown(table: (header: Row, rows: readonly Row[]) => string): string {
  const optionRows = (options: Record<string, OptionSpec>) =>
    Object.entries(options).map(
      ([name, option]): Row => [`\`${optionName(name, option).replaceAll('|', '\\|')}\``, option.about],
    );
  const sections = Object.entries<CommandSpec>(commands).map(
    ([name, { argument, about, details, options, examples }]) =>
      [
        `### furoshiki ${name} ${argument.replaceAll('<', '\\<')}`,
        `${about} ${details}`,
        ...(Object.keys(options).length === 0 ? [] : [table(['option', 'meaning'], optionRows(options))]),
        ['```sh', ...examples, '```'].join('\n'),
      ].join('\n\n'),
  );
  return [
    ...sections,
    '### Options of every command',
    table(['option', 'meaning'], optionRows(GLOBAL_OPTIONS)),
    '### Environment',
    table(
      ['variable', 'meaning'],
      ENVIRONMENT.map(([name, about]) => [`\`${name}\``, about]),
    ),
    '### Exit codes',
    table(
      ['code', 'meaning'],
      EXIT_CODES.map(([code, about]) => [`${code}`, about]),
    ),
  ].join('\n\n');
}
