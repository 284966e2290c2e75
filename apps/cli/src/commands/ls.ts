// furoshiki ls: lists what was sent from this machine. Asks no server.
import { shownName } from '@furoshiki/format';
import { formatBytes } from '@furoshiki/texts/format-bytes';
import { EXIT } from '../errors.ts';
import { linkOf } from '../link.ts';
import { createSentPages } from '../platform/state/sent-pages.ts';
import type { Command } from './command.ts';
import { formatDate } from './output.ts';

export const ls: Command = async ({ call, folders, terminal, texts }) => {
  const sent = createSentPages(folders.sent);
  const pages = sent.list(Date.now());
  if (call.isSet('forget')) {
    for (const page of pages) sent.remove(page);
    terminal.note(texts.t('ls.forgotten'));
    return EXIT.done;
  }
  if (call.isSet('json')) {
    const iso = (ms: number) => new Date(ms).toISOString();
    terminal.printJson(
      pages.map(({ siteUrl, pageId, fileName, fileCount, bytes, sentAtMs, expiresAtMs }) => ({
        link: linkOf(siteUrl, pageId),
        id: pageId,
        name: fileName,
        count: fileCount,
        size: bytes,
        sentAt: iso(sentAtMs),
        expiresAt: iso(expiresAtMs),
      })),
    );
    return EXIT.done;
  }
  if (pages.length === 0) terminal.note(texts.t('ls.nothing'));
  for (const { siteUrl, pageId, fileName, fileCount, bytes, expiresAtMs } of pages) {
    terminal.print(linkOf(siteUrl, pageId), 'cyan');
    const facts = [
      shownName(fileName),
      texts.t('ls.files', { count: fileCount }),
      formatBytes(bytes, texts.language),
      texts.t('info.until', { date: formatDate(expiresAtMs, texts.language) }),
    ];
    terminal.print(`  ${facts.join(', ')}`);
  }
  return EXIT.done;
};
