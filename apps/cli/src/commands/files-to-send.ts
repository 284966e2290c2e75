// What is sent: files and folders, or standard input.
import { tmpdir } from 'node:os';
import { type LocalFile, nameToSend } from '@furoshiki/transfer';
import { CliError, EXIT } from '../cli-error.ts';
import { contentTypeOf } from '../platform/files/content-type.ts';
import { findFiles } from '../platform/files/local-files.ts';
import { spoolInput } from '../platform/files/spool.ts';
import type { Source } from '../platform/parts/part-sender.ts';
import type { Tools } from './command.ts';

export interface FilesToSend {
  files: LocalFile<Source>[];
  /** The same if a later command sends the same, unchanged files. Undefined: it cannot be continued. */
  identity: unknown;
  /** Removes temporary files. */
  remove(): Promise<void>;
}

export async function filesToSend(tools: Tools): Promise<FilesToSend> {
  const { call } = tools;
  if (call.arguments.includes('-')) {
    if (call.arguments.length > 1) throw new CliError('send.inputOnly', {}, EXIT.usage);
    return inputToSend(tools);
  }
  const files = await findFiles(call.arguments, call.isSet('follow-links'));
  const identity = files.map(({ path, name, size, modifiedMs }) => [path, name, size, modifiedMs]);
  return { files, identity, remove: async () => {} };
}

async function inputToSend({ call, terminal, texts, onStop }: Tools): Promise<FilesToSend> {
  const given = call.text('name');
  if (given === undefined || given === '') throw new CliError('send.nameForInput', {}, EXIT.usage);
  const name = nameToSend(given);
  terminal.note(texts.t('send.spooling', { folder: tmpdir() }));
  const { stdin } = terminal.streams;
  onStop(() => stdin.destroy(new CliError('send.cancelled', {}, EXIT.cancelled)));
  const { size, source, remove } = await spoolInput(stdin);
  return { files: [{ name, size, contentType: contentTypeOf(name), source }], identity: undefined, remove };
}
