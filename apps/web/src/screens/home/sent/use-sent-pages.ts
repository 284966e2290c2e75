// State of the list of sent pages: what is stored, what is being deleted, and the message after a deletion.
import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react';
import type { SentPage, SentPages } from '../../../services.ts';
import { useNow } from '../../../ui/hooks/use-now.ts';

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
