// furoshiki completions: prints completions for a shell.
import { completionsFor, SHELLS } from '../args/completions.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { Command } from './command.ts';

export const completions: Command = async ({ call, terminal }) => {
  const [name = ''] = call.arguments;
  const shell = SHELLS.find((known) => known === name);
  if (!shell) throw new CliError('usage.surplusArgument', { command: call.command, name }, EXIT.usage);
  terminal.print(completionsFor(shell).trimEnd());
  return EXIT.done;
};
