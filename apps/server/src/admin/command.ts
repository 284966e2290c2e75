// The types of the operator's commands.
import type { Config } from '../config/config.ts';
import type { DataPaths } from '../config/data-folder.ts';
import type { EmbeddedStores } from '../ports/backup.ts';
import type { Clock } from '../ports/clock.ts';
import type { MailServer } from '../ports/messages.ts';
import type { MetadataStore } from '../ports/metadata-store.ts';
import type { InspectedDatabase, OpenedObjects } from '../open-stores.ts';

/** What commands work with: the same configuration and stores as the server's. */
export interface Tools {
  config: Config;
  /** Warnings about environment variables that are no settings. */
  misspelt: string[];
  paths: DataPaths;
  /** The folder of the built web app. */
  webRoot: string;
  clock: Clock;
  /** Undefined if no mail is configured. Throws a StartError if the settings of mail contradict each other. */
  openMailer(): MailServer | undefined;
  /** These open a store on first use, so that the doctor can report an error. */
  openObjects(): Promise<OpenedObjects>;
  openMetadata(): Promise<MetadataStore>;
  /** Like `openMetadata`, but changes nothing. Returns undefined if there is no database yet. */
  inspectMetadata(): Promise<InspectedDatabase | undefined>;
  /** For a backup and a restore, if database and bytes are on this machine. */
  embedded: EmbeddedStores;
  /** Aborted by SIGINT, SIGTERM and SIGHUP, which from this call on do not end the process at once. */
  untilSignal(): AbortSignal;
}

export interface Report {
  /** For people: one fact per line. */
  lines: string[];
  /** For programs: the same facts. */
  json: unknown;
  /** True if the command ran and found a problem. */
  isBad?: boolean;
  /** True if stdout is taken by what the command was asked for. */
  isOnStderr?: boolean;
}

export interface Command {
  /** The argument in the usage, such as `<page id>`. Empty if the command has none. */
  argument: string;
  about: string;
  /** The name of its option besides `--json`, such as `fix`. */
  option?: string;
  /** The names of its options with a value, such as `timestamp` in `--timestamp=<file>`. */
  values?: readonly string[];
  run(tools: Tools, argument: string, hasOption?: boolean, values?: Record<string, string>): Promise<Report>;
}

/** An expected failure of a command. Its message is one line. */
export class CommandError extends Error {}
