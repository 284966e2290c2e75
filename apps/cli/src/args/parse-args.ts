// From the words of a command line to a command with its options. No library, because Node's own parseArgs splits the words: what
// remains are our translated errors, and help, man page, completions and docs come from the same table.
import { parseArgs } from 'node:util';
import { CliError, EXIT } from '../errors.ts';
import type { CliTextName } from '@furoshiki/texts/translate';
import { type CommandName, commands, type CommandSpec, GLOBAL_OPTIONS, type OptionSpec } from './command-table.ts';

export interface Call {
  command: CommandName;
  arguments: string[];
  /** The last one, if the option is set several times. */
  text(option: string): string | undefined;
  texts(option: string): string[];
  isSet(option: string): boolean;
}

export type Parsed = Call | { help: CommandName | 'all' };

export function parseCommandLine([name, ...words]: readonly string[]): Parsed {
  if (name === undefined) throw usage('usage.noCommand');
  if (name === '--help' || name === '-h' || name === 'help') return { help: isCommand(words[0]) ? words[0] : 'all' };
  if (!isCommand(name)) throw usage('usage.unknownCommand', { name });
  const spec: CommandSpec = commands[name];
  const { values, positionals } = parse(name, { ...spec.options, ...GLOBAL_OPTIONS }, words);
  if (values['help']) return { help: name };
  if (positionals.length === 0 && spec.needsArgument)
    throw usage('usage.missingArgument', { command: name, name: spec.argument });
  const surplus = positionals[spec.maxArguments];
  // It may be the key, which must not be shown.
  if (surplus !== undefined && spec.options['key']) throw usage('usage.onlyTheLink', { command: name });
  if (surplus !== undefined) throw usage('usage.surplusArgument', { command: name, name: surplus });
  return {
    command: name,
    arguments: positionals,
    text: (option) => textsOf(values[option]).at(-1),
    texts: (option) => textsOf(values[option]),
    isSet: (option) => values[option]?.includes(true) ?? false,
  };
}

/** Returns a whole number, or undefined if the option is not set. */
export function numberOf(call: Call, option: string, min: number, max: number): number | undefined {
  const text = call.text(option);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^\d+$/u.test(text) || number < min || number > max)
    throw usage('usage.badNumber', { name: `--${option}`, min, max });
  return number;
}

function parse(command: CommandName, specs: Record<string, OptionSpec>, words: string[]) {
  const options = Object.fromEntries(
    Object.entries(specs).map(([name, { short, value }]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short ? { short } : {}) },
    ]),
  );
  // Not strict, because the error messages are ours.
  const { tokens } = parseArgs({ args: words, options, allowPositionals: true, strict: false, tokens: true });
  const values: Record<string, (string | true)[]> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
    if (!spec) throw usage('usage.unknownOption', { command, name: rawName });
    if (spec.value !== undefined && value === undefined) throw usage('usage.missingValue', { name: rawName });
    if (spec.value === undefined && value !== undefined) throw usage('usage.surplusValue', { name: rawName });
    (values[name] ??= []).push(value ?? true);
  }
  return { values, positionals };
}

const textsOf = (values: readonly (string | true)[] = []) => values.filter((value) => value !== true);

const isCommand = (name: string | undefined): name is CommandName =>
  name !== undefined && Object.hasOwn(commands, name);

const usage = (text: CliTextName, values: Record<string, string | number> = {}): CliError =>
  new CliError(text, values, EXIT.usage);
