// What a command of the operator is made of.
import type { Config } from '../config/config.ts';
import type { DataPaths } from '../config/data-folder.ts';
import type { Clock } from '../ports/clock.ts';
import type { MailServer } from '../ports/mailer.ts';
import type { MetadataStore } from '../ports/metadata-store.ts';
import type { OpenedObjects } from '../open-stores.ts';

/** What commands work with: the same configuration and the same stores as the server's. */
export interface Tools extends OpenedObjects {
  config: Config;
  paths: DataPaths;
  clock: Clock;
  /** Undefined: no mail is configured. */
  mailer: MailServer | undefined;
  /** Opens the database when it is first needed: the doctor must be able to say that this fails. */
  openMetadata(): Promise<MetadataStore>;
}

export interface Report {
  /** For people: one fact a line. */
  lines: string[];
  /** For programs: the same facts. */
  json: unknown;
  /** True where the command did its work and found that something is wrong. */
  isBad?: boolean;
}

export interface Command {
  /** What stands behind the name in the usage, such as `<page id>`; empty where it takes nothing. */
  argument: string;
  about: string;
  /** The one option that it takes besides --json, such as --fix. */
  option?: string;
  run(tools: Tools, argument: string, hasOption?: boolean): Promise<Report>;
}

/** A command that cannot do its work, for a reason that its message tells in one line. */
export class CommandError extends Error {}
