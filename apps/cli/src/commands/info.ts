// furoshiki info: lists the files of a link.
import { isHidden, shownName } from '@furoshiki/format';
import { formatBytes } from '@furoshiki/texts/format-bytes';
import { missingCount } from '@furoshiki/transfer';
import { EXIT } from '../errors.ts';
import { type Command, connect, linkOfCall, loadPage, openWithKey } from './command.ts';
import { formatDate, numberOfFile, showNote } from './output.ts';

export const info: Command = async (tools) => {
  const { call, terminal, texts } = tools;
  const { siteUrl, pageId, keyText } = await linkOfCall(tools);
  const page = await loadPage(tools, await connect(tools, siteUrl), pageId);
  const hasKey = await openWithKey(tools, page, keyText, 'options');
  const state = page.getState();
  const files = state.files.map((file, index) => ({
    number: numberOfFile(state, index),
    name: file.fileName,
    size: file.fileSize,
    folder: file.opened?.details.folder,
    downloadsLeft: Math.max(0, file.maxDownloads - file.currentDownloads),
    maxDownloads: file.maxDownloads,
    expiresAt: file.expiresAt === undefined ? undefined : new Date(file.expiresAt * 1000).toISOString(),
  }));
  if (call.isSet('json')) {
    const { title, message } = state.list ?? {};
    terminal.printJson({ files, title, message, missing: missingCount(state) });
    return EXIT.done;
  }
  showNote(tools, state);
  for (const { number, name, size, folder, downloadsLeft, maxDownloads, expiresAt } of files) {
    const facts = [
      ...(folder ? [texts.t('info.folder', { count: folder.files })] : []),
      formatBytes(size, texts.language),
      texts.t('info.downloads', { count: downloadsLeft, max: maxDownloads }),
      ...(expiresAt === undefined ? [] : [texts.t('info.until', { date: formatDate(expiresAt, texts.language) })]),
    ];
    terminal.print(`${number}. ${shownName(name)} (${facts.join(', ')})`);
  }
  if (!hasKey && state.files.some((file) => isHidden(file))) terminal.note(texts.t('info.hidden'));
  return EXIT.done;
};
