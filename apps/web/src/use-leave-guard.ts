// Asks before a page is left while something runs on it: by the browser when the tab closes, by us when a link is followed.
import { useEffect } from 'react';

let held = 0;

export function useLeaveGuard(isHeld: boolean): void {
  useEffect(() => {
    if (!isHeld) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    held += 1;
    addEventListener('beforeunload', ask);
    return () => {
      held -= 1;
      removeEventListener('beforeunload', ask);
    };
  }, [isHeld]);
}

/** Whether the page may be left, after asking where that is needed. */
export function mayLeave(question: string): boolean {
  return held === 0 || confirm(question);
}
