// The key of a link: from the link, a file, standard input or the terminal.
import { readFile } from 'node:fs/promises';
import { importKey, parseKey, type SecretKey } from '@furoshiki/format';
import { CliError, EXIT } from '../cli-error.ts';
import { nodeCrypto } from '../platform/node-crypto.ts';
import type { Tools } from './command.ts';

/** Returns undefined if none was given and `isNeeded` is false. */
export async function readKey(
  tools: Tools,
  keyOfLink: string | undefined,
  isNeeded: boolean,
): Promise<SecretKey | undefined> {
  const text = keyOfLink ?? (await givenKey(tools, isNeeded));
  return text === undefined ? undefined : importKey(nodeCrypto.subtle, parseKey(text));
}

async function givenKey({ call, terminal, texts }: Tools, isNeeded: boolean): Promise<string | undefined> {
  const [file, argument] = [call.text('key-file'), call.text('key')];
  if (file === '-') return terminal.readInput();
  if (file !== undefined) {
    return readFile(file, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
      throw new CliError('key.fileUnreadable', { code: code ?? '' });
    });
  }
  if (argument !== undefined) {
    terminal.note(texts.t('key.inArguments'));
    return argument;
  }
  if (!isNeeded) return undefined;
  if (terminal.canAsk) return terminal.ask(texts.t('key.prompt'), true);
  const piped = terminal.streams.stdin.isTTY === true ? '' : await terminal.readInput();
  if (piped.trim() === '') throw new CliError('key.missing', {}, EXIT.wrongKey);
  return piped;
}
