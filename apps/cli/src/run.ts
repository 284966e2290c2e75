// From a command line to an exit code.
import { helpOf } from './args/help.ts';
import { type CommandName, VERSION } from './args/command-table.ts';
import { parseCommandLine } from './args/parse-args.ts';
import { errorText, EXIT, type ExitCode, exitCodeOf } from './errors.ts';
import type { Command, Tools } from './commands/command.ts';
import { completions } from './commands/completions.ts';
import { deleteFiles } from './commands/delete.ts';
import { info } from './commands/info.ts';
import { receive } from './commands/receive.ts';
import { send } from './commands/send.ts';
import { server } from './commands/server.ts';
import { verify } from './commands/verify.ts';
import { createFolders } from './platform/state/folders.ts';
import { createTerminal, type Streams } from './terminal/terminal.ts';
import { createTexts, languageOf } from './texts.ts';

const COMMANDS: Record<CommandName, Command> = {
  send,
  receive,
  info,
  delete: deleteFiles,
  verify,
  server,
  completions,
};

export interface Run extends Pick<Tools, 'environment' | 'onStop'> {
  args: readonly string[];
  streams: Streams;
}

export async function run({ args, streams, environment, onStop }: Run): Promise<ExitCode> {
  const texts = await createTexts(languageOf(environment));
  let terminal = createTerminal(streams, false);
  let direction: 'upload' | 'download' = 'upload';
  try {
    const parsed = parseCommandLine(args);
    if ('help' in parsed || 'version' in parsed) {
      streams.stdout.write('help' in parsed ? helpOf(parsed.help, streams.stdout.columns) : `furoshiki ${VERSION}\n`);
      return EXIT.done;
    }
    if (parsed.command !== 'send') direction = 'download';
    terminal = createTerminal(streams, parsed.isSet('quiet'), environment['TERM'] !== 'dumb');
    const folders = createFolders(environment);
    return await COMMANDS[parsed.command]({ call: parsed, texts, terminal, folders, environment, onStop });
  } catch (thrown) {
    terminal.live?.clear();
    terminal.error(`furoshiki: ${errorText(texts, thrown, direction)}`);
    return exitCodeOf(thrown);
  }
}
