// Catches the focus when what had it is taken off the screen, so that the keyboard goes on from there.
import { type RefObject, useEffect, useRef } from 'react';

/** Gives the element the focus whenever `moment` changes and nothing else has it. The element needs tabIndex -1. */
export function useFocusFallback<Element extends HTMLElement>(moment: unknown): RefObject<Element | null> {
  const element = useRef<Element>(null);
  const seen = useRef(moment);
  useEffect(() => {
    if (seen.current === moment) return;
    seen.current = moment;
    if (document.activeElement === document.body) element.current?.focus({ preventScroll: true });
  }, [moment]);
  return element;
}
