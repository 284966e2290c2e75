// Asks before the user leaves a page with a running transfer: the browser asks when the tab closes, we ask when a link is
// followed or the history is used.
import { pathWithoutLanguage } from '@furoshiki/core';
import { languages } from '@furoshiki/locales';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';

/** A page that must not be left without asking. */
interface Guard {
  /** Without the language: changing the language does not leave the page. */
  path: string;
  href: string;
  state: unknown;
  question: string;
}

const guards = new Set<Guard>();

export function useLeaveGuard(isActive: boolean): void {
  const { t } = useTranslation();
  const question = t('progress.leave');
  const [path] = useLocation();
  useEffect(() => {
    if (!isActive) return undefined;
    const guard = {
      path: pathWithoutLanguage(path, languages),
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
  }, [isActive, question, path]);
}

/**
 * Whether the page may be left for `path`. Asks the user if a transfer is running and `path` is another page. An undefined
 * path means that the transfer ends in any case.
 */
export function mayLeave(path: string | undefined): boolean {
  const [guard] = guards;
  const stays = path !== undefined && guard?.path === pathWithoutLanguage(path, languages);
  return guard === undefined || stays || confirm(guard.question);
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
