// furoshiki delete: deletes the files of a link.
import { deletePage } from '@furoshiki/transfer';
import { CliError, EXIT } from '../errors.ts';
import { parseLink } from '../link.ts';
import { type Command, connect, loadPage } from './command.ts';

export const deleteFiles: Command = async (tools) => {
  const { call, terminal, texts } = tools;
  const { siteUrl, pageId, keyText } = parseLink(call.arguments[0] ?? '');
  if (keyText !== undefined) terminal.note(texts.t('key.inArguments'));
  const platform = await connect(tools, siteUrl);
  const page = await loadPage(tools, platform, pageId);
  if (!call.isSet('yes')) {
    if (!terminal.canAsk) throw new CliError('delete.needsYes', {}, EXIT.usage);
    const answer = await terminal.ask(texts.t('delete.confirm', { count: page.getState().files.length }), false);
    if (!answer.trim().toLowerCase().startsWith(texts.t('delete.yes'))) {
      terminal.note(texts.t('delete.cancelled'));
      return EXIT.cancelled;
    }
  }
  await deletePage(platform, pageId);
  terminal.note(texts.t('delete.done'));
  return EXIT.done;
};
