// furoshiki delete: deletes the files of a link.
import { deletePage } from '@furoshiki/transfer';
import { EXIT } from '../errors.ts';
import { agrees, type Command, connect, linkOfCall, loadPage } from './command.ts';

export const deleteFiles: Command = async (tools) => {
  const { terminal, texts } = tools;
  const { siteUrl, pageId } = await linkOfCall(tools);
  const platform = await connect(tools, siteUrl);
  const page = await loadPage(tools, platform, pageId);
  const question = texts.t('delete.confirm', { count: page.getState().files.length });
  if (!(await agrees(tools, question, 'delete.needsYes'))) {
    terminal.note(texts.t('delete.cancelled'));
    return EXIT.cancelled;
  }
  await deletePage(platform, pageId);
  terminal.note(texts.t('delete.done'));
  return EXIT.done;
};
