// Stores the list of pages that were sent from this browser, without keys. Other tabs, other versions and the user may
// change what is stored at any time, so it is read again before each change, and only what is valid is used.
import { idSchema, RETENTION_DAYS } from '@furoshiki/api';
import { parseJson } from '@furoshiki/transfer';
import type { SentPage, SentPages, SettingsStore } from '../../services.ts';
import { SENT_KEY, type TextStorage } from '../device/settings.ts';

const MAX_PAGES = 100;
const DAY_MS = 24 * 60 * 60_000;
/** No file is stored for longer, with a day for clocks that were changed. */
const MAX_REMAINING_MS = (Math.max(...RETENTION_DAYS) + 1) * DAY_MS;

export type SentList = Omit<SentPages, 'deleteFiles'>;

export function createSentList(storage: TextStorage, settings: SettingsStore): SentList {
  const listeners = new Set<() => void>();
  let lastText: string | null = null;
  let lastPages: readonly SentPage[] = [];

  const notify = () => {
    for (const listener of listeners) listener();
  };

  function list(): readonly SentPage[] {
    const text = storage.getItem(SENT_KEY);
    if (text !== lastText) {
      lastText = text;
      lastPages = parsePages(text);
    }
    return lastPages;
  }

  function store(pages: readonly SentPage[]): void {
    try {
      if (pages.length === 0) storage.removeItem(SENT_KEY);
      else storage.setItem(SENT_KEY, JSON.stringify(pages));
    } catch {
      // The storage is full or blocked. Only the list suffers.
    }
    notify();
  }

  const remove = (pageId: string) => store(list().filter((page) => page.pageId !== pageId));

  // The settings remove the list when it is turned off.
  settings.subscribe(notify);
  // Another tab has changed the list, or the storage was cleared.
  addEventListener('storage', ({ key }) => {
    if (key === SENT_KEY || key === null) notify();
  });

  return {
    list,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    add({ pageId, fileNames, retentionDays }) {
      const [fileName] = fileNames;
      if (fileName === undefined || !settings.get().keepsSentList) return;
      const expiresAtMs = Date.now() + retentionDays * DAY_MS;
      const others = list().filter((page) => page.pageId !== pageId);
      store([{ pageId, fileName, fileCount: fileNames.length, expiresAtMs }, ...others].slice(0, MAX_PAGES));
    },
    remove,
    removeExpired(nowMs) {
      const current = list().filter(
        ({ expiresAtMs }) => expiresAtMs > nowMs && expiresAtMs <= nowMs + MAX_REMAINING_MS,
      );
      if (current.length < list().length) store(current);
    },
  };
}

function parsePages(text: string | null): SentPage[] {
  const stored = parseJson(text ?? '[]');
  return Array.isArray(stored) ? stored.filter(isSentPage).slice(0, MAX_PAGES) : [];
}

function isSentPage(stored: unknown): stored is SentPage {
  const { pageId, fileName, fileCount, expiresAtMs }: Partial<Record<keyof SentPage, unknown>> = Object(stored);
  return (
    idSchema.safeParse(pageId).success &&
    typeof fileName === 'string' &&
    Number.isSafeInteger(fileCount) &&
    Number(fileCount) >= 1 &&
    Number.isFinite(expiresAtMs)
  );
}
