// Asks before the user leaves a page with something to lose, such as a running transfer: the browser asks when the tab
// closes, we ask when a link is followed or the history is used.
import { pathWithoutLanguage } from '@furoshiki/site';
import { languages } from '@furoshiki/texts';
import { useEffect } from 'react';
import { useTranslation } from '../ui/i18n.ts';
import { useLocation } from 'wouter';

/** A page that must not be left without asking. */
interface Guard {
  /** Where the user may go without a question. Without the language: changing the language does not leave the page. */
  paths: readonly string[];
  href: string;
  state: unknown;
  question: string;
}

const guards = new Set<Guard>();

/** Asks `ownQuestion`, by default whether to stop the transfer. `alsoAllowed` is another path without a language. */
export function useLeaveGuard(isActive: boolean, ownQuestion?: string, alsoAllowed?: string): void {
  const { t } = useTranslation();
  const question = ownQuestion ?? t('progress.leave');
  const [path] = useLocation();
  useEffect(() => {
    if (!isActive) return undefined;
    const guard = {
      paths: [pathWithoutLanguage(path, languages), ...(alsoAllowed === undefined ? [] : [alsoAllowed])],
      href: location.href,
      state: history.state as unknown,
      question,
    };
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    guards.add(guard);
    addEventListener('beforeunload', ask);
    return () => {
      guards.delete(guard);
      removeEventListener('beforeunload', ask);
    };
  }, [isActive, question, path, alsoAllowed]);
}

/**
 * Whether the page may be left for `path`. Asks the user if a guard does not allow that path. An undefined path means
 * that the page ends in any case.
 */
export function mayLeave(path: string | undefined): boolean {
  const target = path === undefined ? undefined : pathWithoutLanguage(path, languages);
  const guard = [...guards].find(({ paths }) => target === undefined || !paths.includes(target));
  return guard === undefined || confirm(guard.question);
}

/**
 * Must be called before the router is rendered, because browsers call listeners in the order of their registration.
 * A popstate event cannot be prevented: it is sent after the address has changed. If the user stays, the old address is
 * restored before the router sees the event. It is restored as a new entry, because the event does not say whether the
 * user went back or forward.
 */
export function guardHistory(currentPath: () => string): void {
  addEventListener('popstate', (event) => {
    const [guard] = guards;
    if (guard === undefined || mayLeave(currentPath())) return;
    event.stopImmediatePropagation();
    history.pushState(guard.state, '', guard.href);
  });
}
