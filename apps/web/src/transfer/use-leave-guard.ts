// Asks before a page is left while something runs on it: by the browser when the tab closes, by us when a link is followed
// or history is gone through.
import { placeKey } from '@furoshiki/core';
import { languages } from '@furoshiki/locales';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';

/** Something that runs, and where: in whatever language, it is the same place. */
interface Hold {
  place: string;
  href: string;
  state: unknown;
  question: string;
}

const holds = new Set<Hold>();

export function useLeaveGuard(isHeld: boolean): void {
  const { t } = useTranslation();
  const question = t('progress.leave');
  const [path] = useLocation();
  useEffect(() => {
    if (!isHeld) return undefined;
    const hold = { place: placeKey(path, languages), href: location.href, state: history.state as unknown, question };
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    holds.add(hold);
    addEventListener('beforeunload', ask);
    return () => {
      holds.delete(hold);
      removeEventListener('beforeunload', ask);
    };
  }, [isHeld, question, path]);
}

/** Whether what is here may be left for that path, after asking where that is needed. Undefined: it ends, wherever one goes. */
export function mayLeave(path: string | undefined): boolean {
  const [hold] = holds;
  const stays = path !== undefined && hold?.place === placeKey(path, languages);
  return hold === undefined || stays || confirm(hold.question);
}

/**
 * To be called before the router is drawn: browsers tell listeners in the order in which they came. Going back cannot be
 * prevented, it is told of when it has happened; so who stays is put back before the router hears of it. By a new entry,
 * because nobody says whether the way went back or forward.
 */
export function guardHistory(currentPath: () => string): void {
  addEventListener('popstate', (event) => {
    const [hold] = holds;
    if (hold === undefined || mayLeave(currentPath())) return;
    event.stopImmediatePropagation();
    history.pushState(hold.state, '', hold.href);
  });
}
