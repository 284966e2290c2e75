// What every command gets.
import { asFailure, isApiErrorCode } from '@furoshiki/api';
import type { Call } from '../args/parse-args.ts';
import { CliError, EXIT, type ExitCode } from '../cli-error.ts';
import { parseServer } from '../link.ts';
import { createPlatform, type Platform } from '../platform/platform.ts';
import type { Folders } from '../platform/state/folders.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Texts } from '../texts.ts';

export interface Tools {
  call: Call;
  texts: Texts;
  terminal: Terminal;
  folders: Folders;
  environment: NodeJS.ProcessEnv;
  /** Runs the listener on the first Ctrl-C or SIGTERM. A second one ends the process at once. */
  onStop(listener: () => void): void;
}

export type Command = (tools: Tools) => Promise<ExitCode>;

export const SERVER_SETTING = 'server';

/** The server of `--server`, the environment or the settings. There is no default. */
export function serverOf({ call, environment, folders }: Tools): string {
  const given =
    call.text('server') ?? environment['FUROSHIKI_SERVER'] ?? folders.settings.getItem(SERVER_SETTING)?.trim();
  if (!given) throw new CliError('server.missing', {}, EXIT.usage);
  return parseServer(given);
}

/** Throws if no server responds: an address may be wrong. Later, when files are on their way, every call waits for it. */
export async function connect({ texts, folders, environment, terminal }: Tools, siteUrl: string): Promise<Platform> {
  const uploadToken = environment['FUROSHIKI_UPLOAD_TOKEN'] ?? '';
  const platform = createPlatform({ siteUrl, language: texts.language, uploadToken, folders });
  await platform.api.call('readiness', {}).catch((thrown: unknown) => {
    if (!isApiErrorCode(asFailure(thrown).code)) throw new CliError('server.notFound', { url: siteUrl });
  });
  // A terminal shows it with the progress.
  if (!terminal.live)
    platform.network.subscribe(() => {
      if (platform.network.isUnreachable()) terminal.note(texts.t('server.waiting'));
    });
  return platform;
}
