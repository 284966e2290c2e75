// Asks before a page is left while something runs on it: by the browser when the tab closes, by us when a link is followed
// or history is gone through.
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';

/** Something that runs, and where. */
interface Hold {
  href: string;
  state: unknown;
  question: string;
}

const holds = new Set<Hold>();

export function useLeaveGuard(isHeld: boolean): void {
  const { t } = useTranslation();
  const question = t('progress.leave');
  useEffect(() => {
    if (!isHeld) return undefined;
    const hold = { href: location.href, state: history.state as unknown, question };
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    holds.add(hold);
    addEventListener('beforeunload', ask);
    return () => {
      holds.delete(hold);
      removeEventListener('beforeunload', ask);
    };
  }, [isHeld, question]);
}

/** Whether the page may be left, after asking where that is needed. */
export function mayLeave(): boolean {
  const [hold] = holds;
  return hold === undefined || confirm(hold.question);
}

/**
 * To be called before the router is drawn: browsers tell listeners in the order in which they came. Going back cannot be
 * prevented, it is told of when it has happened; so who stays is put back before the router hears of it. By a new entry,
 * because nobody says whether the way went back or forward.
 */
export function guardHistory(): void {
  addEventListener('popstate', (event) => {
    const [hold] = holds;
    if (hold === undefined || location.href === hold.href || mayLeave()) return;
    event.stopImmediatePropagation();
    history.pushState(hold.state, '', hold.href);
  });
}
