// State of the list of sent pages: what is stored, what is being deleted, the message after a deletion, and what the
// server says about each page.
import { asFailure, type PageFile } from '@furoshiki/api';
import { createMutex } from '@furoshiki/transfer';
import { type RefObject, useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react';
import { type SentPage, type SentPages, useServices } from '../../services.ts';
import { useNow } from '../../ui/hooks.ts';

const NOTICE_MS = 5000;

interface DeletionNotice {
  page: SentPage;
  isDeleted: boolean;
}

export function useSentPages(sentPages: SentPages) {
  const pages = useSyncExternalStore(sentPages.subscribe, sentPages.list);
  const nowMs = useNow();
  const [deleting, setDeleting] = useState<ReadonlySet<string>>(new Set());
  const [notice, setNotice] = useState<DeletionNotice>();
  const section = useRef<HTMLElement>(null);
  /** The index of the row that this tab has removed, until the focus is moved. */
  const removedIndex = useRef<number>(undefined);

  useEffect(() => sentPages.removeExpired(nowMs), [sentPages, nowMs]);

  useEffect(() => {
    if (!notice) return undefined;
    const timer = setTimeout(() => setNotice(undefined), NOTICE_MS);
    return () => clearTimeout(timer);
  }, [notice]);

  // If the removed row had the focus, it moves to the row that took its place, or to the last one.
  const moveFocus = useEffectEvent((rowCount: number) => {
    if (removedIndex.current === undefined) return;
    const rows = section.current?.querySelectorAll('li');
    const next = rows?.[Math.min(removedIndex.current, rowCount - 1)] ?? section.current;
    removedIndex.current = undefined;
    if (document.activeElement === document.body) next?.focus({ preventScroll: true });
  });
  useEffect(() => moveFocus(pages.length), [pages.length]);

  function remove({ pageId }: SentPage): void {
    removedIndex.current = sentPages.list().findIndex((page) => page.pageId === pageId);
    sentPages.remove(pageId);
  }

  async function deleteFiles(page: SentPage): Promise<void> {
    const { pageId } = page;
    setDeleting((ids) => new Set(ids).add(pageId));
    const isDeleted = await sentPages.deleteFiles(pageId).then(
      () => true,
      () => false,
    );
    setDeleting((ids) => new Set([...ids].filter((id) => id !== pageId)));
    setNotice({ page, isDeleted });
    if (isDeleted) remove(page);
  }

  return {
    section,
    pages,
    nowMs,
    notice,
    isDeleting: ({ pageId }: SentPage) => deleting.has(pageId),
    remove,
    deleteFiles: (page: SentPage) => void deleteFiles(page),
  };
}

/** Unknown until the server has answered, for example without a network. */
type PageStatus = 'unknown' | 'gone' | readonly PageFile[];

const INTERVAL_MS = 60_000;
/** However many rows are visible, only so many requests are under way. */
const queues = Array.from({ length: 3 }, createMutex);

/** What the server says about a sent page. Asked when its row becomes visible, and then every minute. */
export function usePageStatus(pageId: string, rowIndex: number): [RefObject<HTMLLIElement | null>, PageStatus] {
  const { api } = useServices();
  const row = useRef<HTMLLIElement>(null);
  const [isVisible, setVisible] = useState(false);
  const [status, setStatus] = useState<PageStatus>('unknown');
  const isGone = status === 'gone';

  useEffect(() => {
    const observer = new IntersectionObserver((changes) => setVisible(changes.at(-1)?.isIntersecting ?? false));
    if (row.current) observer.observe(row.current);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    if (!isVisible || isGone) return undefined;
    const leaving = new AbortController();
    const { signal } = leaving;
    async function ask(): Promise<void> {
      if (signal.aborted || document.hidden) return;
      try {
        const { files } = await api.call('page', { params: { pageID: pageId } }, signal);
        if (!signal.aborted) setStatus(files.length > 0 ? files : 'gone');
      } catch (thrown) {
        if (!signal.aborted && asFailure(thrown).code === 'NOT_FOUND') setStatus('gone');
      }
    }
    const askInTurn = () => void queues[rowIndex % queues.length]?.(ask);
    askInTurn();
    const timer = setInterval(askInTurn, INTERVAL_MS);
    return () => {
      leaving.abort();
      clearInterval(timer);
    };
  }, [api, pageId, rowIndex, isVisible, isGone]);

  return [row, status];
}
