// From a command line to an exit code.
import { helpOf } from './args/help.ts';
import type { CommandName } from './args/command-table.ts';
import { numberOf, parseCommandLine } from './args/parse-args.ts';
import { createDeadline } from './deadline.ts';
import { CliError, errorText, EXIT, type ExitCode, exitCodeOf } from './errors.ts';
import type { Command, Tools } from './commands/command.ts';
import { completions } from './commands/completions.ts';
import { deleteFiles } from './commands/delete.ts';
import { info } from './commands/info.ts';
import { ls } from './commands/ls.ts';
import { receive } from './commands/receive.ts';
import { send } from './commands/send.ts';
import { serve } from './commands/serve.ts';
import { server } from './commands/server.ts';
import { verify } from './commands/verify.ts';
import { createFolders } from './platform/state/folders.ts';
import { createTerminal, type Streams, type Terminal } from './terminal/terminal.ts';
import { createTexts, languageOf } from './texts.ts';

const COMMANDS: Record<CommandName, Command> = {
  send,
  receive,
  info,
  delete: deleteFiles,
  ls,
  verify,
  server,
  serve,
  completions,
};

/** A day. */
const MAX_TIMEOUT_SECONDS = 86_400;

export interface Run extends Pick<Tools, 'environment' | 'onStop'> {
  args: readonly string[];
  streams: Streams;
}

export async function run({ args, streams, environment, onStop }: Run): Promise<ExitCode> {
  const texts = createTexts(languageOf(environment));
  let terminal = createTerminal(streams, environment);
  let direction: 'upload' | 'download' = 'upload';
  let isTooLate = false;
  const ended = (code: ExitCode) => (isTooLate && code === EXIT.cancelled ? EXIT.failed : code);
  try {
    const parsed = parseCommandLine(args);
    if ('help' in parsed) {
      terminal.printHelp(helpOf(parsed.help, streams.stdout.columns));
      return EXIT.done;
    }
    if (parsed.command !== 'send') direction = 'download';
    const seconds = numberOf(parsed, 'timeout', 1, MAX_TIMEOUT_SECONDS);
    terminal = createTerminal(streams, environment, { quiet: parsed.isSet('quiet'), plain: parsed.isSet('plain') });
    const { promise: tooLate, reject: giveUp } = Promise.withResolvers<never>();
    let stop = (): void => giveUp(new CliError('failed.timeout', { seconds: seconds ?? 0 }));
    const deadline = createDeadline(seconds, () => {
      isTooLate = true;
      stop();
    });
    const tools: Tools = {
      call: parsed,
      texts,
      terminal: pausing(terminal, deadline),
      folders: createFolders(environment),
      environment,
      deadline,
      onStop(listener) {
        onStop(listener);
        // As with Ctrl-C, it then says how to continue.
        stop = () => {
          terminal.error(`furoshiki: ${texts.t('failed.timeout', { seconds: seconds ?? 0 })}`);
          listener();
        };
      },
    };
    return ended(await Promise.race([COMMANDS[parsed.command](tools), tooLate]).finally(deadline.pause));
  } catch (thrown) {
    terminal.live?.clear();
    terminal.error(`furoshiki: ${errorText(texts, thrown, direction)}`);
    return ended(exitCodeOf(thrown));
  }
}

/** A user may take as long as they want. */
function pausing(terminal: Terminal, { pause, restart }: Tools['deadline']): Terminal {
  const paused = async (reading: () => Promise<string>) => {
    pause();
    const typed = await reading();
    restart();
    return typed;
  };
  return {
    ...terminal,
    ask: (prompt, isSecret) => paused(() => terminal.ask(prompt, isSecret)),
    readInput: () => paused(() => terminal.readInput()),
  };
}
