// The pages that were sent from this machine, without their keys: one small text each in the state folder.
import { idSchema, RETENTION_DAYS } from '@furoshiki/api';
import { parseJson } from '@furoshiki/transfer';
import { linkOf, parseServer } from '../../link.ts';
import { createTextFiles, digestOf } from './folders.ts';

export interface SentPage {
  siteUrl: string;
  pageId: string;
  /** Of the first file. */
  fileName: string;
  fileCount: number;
  bytes: number;
  sentAtMs: number;
  expiresAtMs: number;
}

export interface SentPages {
  /** Does nothing if the folder cannot be written: the files are sent, and only the list suffers. */
  add(page: SentPage): void;
  /** The newest first. Removes what has expired. */
  list(nowMs: number): SentPage[];
  remove(page: Pick<SentPage, 'siteUrl' | 'pageId'>): void;
}

/** No file is stored for longer, with a day for clocks that were changed. */
const MAX_REMAINING_MS = (Math.max(...RETENTION_DAYS) + 1) * 24 * 3_600_000;

export function createSentPages(folder: string): SentPages {
  const texts = createTextFiles(folder);
  const nameOf = ({ siteUrl, pageId }: Pick<SentPage, 'siteUrl' | 'pageId'>) => digestOf(linkOf(siteUrl, pageId));
  return {
    add(page) {
      try {
        texts.setItem(nameOf(page), JSON.stringify(page));
      } catch {
        // See above.
      }
    },
    list(nowMs) {
      const pages: SentPage[] = [];
      for (const name of texts.list()) {
        const page = pageOf(parseJson(texts.getItem(name) ?? ''));
        if (page && page.expiresAtMs > nowMs && page.expiresAtMs <= nowMs + MAX_REMAINING_MS) pages.push(page);
        else texts.removeItem(name);
      }
      return pages.toSorted((a, b) => b.sentAtMs - a.sentAtMs);
    },
    remove: (page) => texts.removeItem(nameOf(page)),
  };
}

/** Another version may have written it. */
function pageOf(stored: unknown): SentPage | undefined {
  const page = Object(stored) as SentPage;
  const { siteUrl, pageId, fileName, fileCount, bytes, sentAtMs, expiresAtMs } = page;
  const areNumbers = [fileCount, bytes, sentAtMs, expiresAtMs].every((number) => Number.isFinite(number));
  if (!areNumbers || typeof fileName !== 'string' || !idSchema.safeParse(pageId).success) return undefined;
  try {
    return { ...page, siteUrl: parseServer(siteUrl) };
  } catch {
    return undefined;
  }
}
