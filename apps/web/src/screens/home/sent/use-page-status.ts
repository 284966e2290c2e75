// What the server says about a sent page. Asked when its row becomes visible, and then every minute.
import { asFailure, type PageFile } from '@furoshiki/api';
import { createMutex } from '@furoshiki/transfer';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useServices } from '../../../services.ts';

/** Unknown until the server has answered, for example without a network. */
export type PageStatus = 'unknown' | 'gone' | readonly PageFile[];

const INTERVAL_MS = 60_000;
/** However many rows are visible, only so many requests are under way. */
const queues = Array.from({ length: 3 }, createMutex);

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
