// furoshiki delete: deletes the files of a link.
import { deletePage } from '@furoshiki/transfer';
import { EXIT } from '../errors.ts';
import { createSentPages } from '../platform/state/sent-pages.ts';
import { agrees, type Command, connect, linkOfCall, loadPage } from './command.ts';

export const deleteFiles: Command = async (tools) => {
  const { call, folders, terminal, texts } = tools;
  const { siteUrl, pageId } = await linkOfCall(tools);
  const platform = await connect(tools, siteUrl);
  const page = await loadPage(tools, platform, pageId);
  const count = page.getState().files.length;
  if (!(await agrees(tools, texts.t('delete.confirm', { count }), 'delete.needsYes'))) {
    terminal.note(texts.t('delete.cancelled'));
    return EXIT.cancelled;
  }
  await deletePage(platform, pageId);
  createSentPages(folders.sent).remove({ siteUrl, pageId });
  terminal.note(texts.t('delete.done'));
  if (call.isSet('json')) terminal.printJson({ id: pageId, deleted: count });
  return EXIT.done;
};
