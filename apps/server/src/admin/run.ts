// From the words of a command line to an exit code: 0 done, 1 failed or found something wrong, 2 not understood.
import { type Command, CommandError, type Report, type Tools } from './command.ts';
import { commands } from './commands.ts';

export interface Outcome {
  exitCode: 0 | 1 | 2;
  stdout: string;
  stderr: string;
}

/** The tools are made when the words are understood, so that a slip of the finger needs no configuration to be told. */
export async function runAdmin(words: string[], makeTools: () => Tools | Promise<Tools>): Promise<Outcome> {
  if (words.includes('--help')) return { exitCode: 0, stdout: usage(), stderr: '' };
  const call = understand(words);
  if (typeof call === 'string') return { exitCode: 2, stdout: '', stderr: `furoshiki-admin: ${call}\n\n${usage()}` };
  try {
    const report = await call.command.run(await makeTools(), call.argument, call.hasOption);
    return { exitCode: report.isBad === true ? 1 : 0, stdout: printed(report, call.asJson), stderr: '' };
  } catch (error) {
    return { exitCode: 1, stdout: '', stderr: `furoshiki-admin: ${reasonOf(error)}\n` };
  }
}

/** The command, or what is wrong with the words. */
function understand(
  words: string[],
): { command: Command; argument: string; hasOption: boolean; asJson: boolean } | string {
  const [name, ...rest] = words.filter((word) => word !== '--json');
  if (name === undefined) return 'which command?';
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) return `there is no command ${name}`;
  const hasOption = command.option !== undefined && rest.includes(command.option);
  const given = rest.filter((word) => word !== command.option);
  const strange = given.find((word, index) => isOption(word) || index > 0 || command.argument === '');
  if (strange !== undefined) return `${name} does not take ${strange}`;
  if (command.argument !== '' && given[0] === undefined) return `${name} needs ${command.argument}`;
  return { command, argument: given[0] ?? '', hasOption, asJson: words.includes('--json') };
}

/** An id may begin with two dashes by chance; no option is as long as one. */
function isOption(word: string): boolean {
  return /^--[\w-]{1,19}$/u.test(word);
}

function usage(): string {
  const calls = Object.entries(commands).map(([name, { argument, option, about }]) => {
    const words = [name, argument, option === undefined ? '' : `[${option}]`];
    return [words.filter((word) => word !== '').join(' '), about] as const;
  });
  const width = Math.max(...calls.map(([call]) => call.length));
  return [
    'usage: npm run admin -- <command> [--json]',
    ...calls.map(([call, about]) => `  ${call.padEnd(width)}  ${about}`),
    'It reads the same environment variables as the server: see docs/OPERATING.md.',
    '',
  ].join('\n');
}

function printed({ lines, json }: Report, asJson: boolean): string {
  return asJson ? `${JSON.stringify(json, null, 2)}\n` : `${lines.join('\n')}\n`;
}

/** One line. What nobody foresaw is told with its kind, so that it can be searched for. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text =
    error instanceof CommandError || error.name === 'Error' ? error.message : `${error.name}: ${error.message}`;
  return text.replaceAll(/\s+/gu, ' ');
}
