// The commands of the operator, from the command line to an exit code: 0 done, 1 failed or found a problem, 2 wrong usage.
import { parseArgs } from 'node:util';
import { type Command, CommandError, type Report, type Tools } from './command.ts';
import { backup, restore } from './commands/backup.ts';
import { claim, stats, sweep, takeDown } from './commands/files.ts';
import { dismissMessage, dismissReport, messages, reports } from './commands/inbox.ts';
import { manifest } from './commands/manifest.ts';
import { doctor } from './doctor/doctor.ts';

/** The table of commands. A new command is one line here. */
const commands: Record<string, Command> = {
  stats,
  'take-down': takeDown,
  reports,
  'dismiss-report': dismissReport,
  messages,
  'dismiss-message': dismissMessage,
  sweep,
  claim,
  backup,
  restore,
  manifest,
  doctor,
};

interface Outcome {
  exitCode: 0 | 1 | 2;
  stdout: string;
  stderr: string;
}

interface Call {
  command: Command;
  argument: string;
  hasOption: boolean;
  values: Record<string, string>;
  asJson: boolean;
}

/** An id may begin with dashes by chance. No option is as long as an id. */
const ID_LIKE_AN_OPTION = /^-[\w-]{21}$/u;

/** `makeTools` is called after the arguments were parsed, so that a usage error needs no configuration. */
export async function runAdmin(args: string[], makeTools: () => Tools | Promise<Tools>): Promise<Outcome> {
  const isId = (arg: string) => ID_LIKE_AN_OPTION.test(arg);
  const { values, positionals } = parseArgs({
    // Everything after `--` is an argument, whatever it begins with.
    args: [...args.filter((arg) => !isId(arg)), '--', ...args.filter(isId)],
    options: { json: { type: 'boolean' }, help: { type: 'boolean' } },
    // Not strict: each command has its own options, and the error messages are ours.
    strict: false,
  });
  if (values['help'] !== undefined) return { exitCode: 0, stdout: usage(), stderr: '' };
  const call = findCall(positionals, values);
  if (typeof call === 'string') return { exitCode: 2, stdout: '', stderr: `furoshiki-admin: ${call}\n\n${usage()}` };
  try {
    const report = await call.command.run(await makeTools(), call.argument, call.hasOption, call.values);
    const text = printed(report, call.asJson);
    const [stdout, stderr] = report.isOnStderr === true ? ['', text] : [text, ''];
    return { exitCode: report.isBad === true ? 1 : 0, stdout, stderr };
  } catch (error) {
    return { exitCode: 1, stdout: '', stderr: `furoshiki-admin: ${escapeInvisible(lineOf(error))}\n` };
  }
}

/** Returns the command and its arguments, or what is wrong with them. */
function findCall([name, ...given]: string[], options: Record<string, unknown>): Call | string {
  if (name === undefined) return 'which command?';
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) return `there is no command ${name}`;
  const { json, ...others } = options;
  const isValue = (option: string) => command.values?.includes(option) === true;
  const unknown = Object.keys(others).find((option) => option !== command.option && !isValue(option));
  if (unknown !== undefined) return `${name} does not take ${unknown.length > 1 ? '--' : '-'}${unknown}`;
  const surplus = command.argument === '' ? given[0] : given[1];
  if (surplus !== undefined) return `${name} does not take ${surplus}`;
  if (command.argument !== '' && given[0] === undefined) return `${name} needs ${command.argument}`;
  const hasOption = command.option !== undefined && others[command.option] !== undefined;
  const values = Object.fromEntries(Object.entries(others).filter(([option]) => isValue(option)));
  const empty = Object.keys(values).find((option) => typeof values[option] !== 'string' || values[option] === '');
  if (empty !== undefined) return `${name} needs a value for --${empty}, as in --${empty}=<value>`;
  return {
    command,
    argument: given[0] ?? '',
    hasOption,
    values: values as Record<string, string>,
    asJson: json !== undefined,
  };
}

function usage(): string {
  const calls = Object.entries(commands).map(([name, { argument, option, values = [], about }]) => {
    const parts = [name, argument, option === undefined ? '' : `[--${option}]`, ...values.map((one) => `[--${one}=…]`)];
    return [parts.filter((part) => part !== '').join(' '), about] as const;
  });
  const width = Math.max(...calls.map(([call]) => call.length));
  return [
    'usage: furoshiki-admin <command> [--json]',
    ...calls.map(([call, about]) => `  ${call.padEnd(width)}  ${about}`),
    'From a clone: npm run admin -- <command>. In a container: node admin.mjs <command>.',
    'It reads the same environment variables as the server: see docs/OPERATING.md.',
    '',
  ].join('\n');
}

function printed({ lines, json }: Report, asJson: boolean): string {
  const printedLines = asJson ? JSON.stringify(json, null, 2).split('\n') : lines;
  return `${printedLines.map(escapeInvisible).join('\n')}\n`;
}

/** Returns one line. An unexpected error is printed with its class name, so that it can be searched for. */
function lineOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text =
    error instanceof CommandError || error.name === 'Error' ? error.message : `${error.name}: ${error.message}`;
  return text.replaceAll(/\s+/gu, ' ');
}

/** Controls (C0 and C1), formats such as U+202E, and line and paragraph separators. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Makes text of visitors harmless in a terminal, where control characters move the cursor and others change the text
 * direction. Replaces each one as JSON may, by \\u and four digits, so that JSON keeps its meaning.
 */
function escapeInvisible(line: string): string {
  return line.replaceAll(INVISIBLE, (character) =>
    Array.from({ length: character.length }, (_, unit) => escapeUnit(character.charCodeAt(unit))).join(''),
  );
}

function escapeUnit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}
