// Moves the focus to a fallback element when the focused element was removed or disabled, so that keyboard users keep
// their place.
import { type RefObject, useEffect, useRef } from 'react';

/** Focuses the element when `trigger` changes and nothing else has the focus. The element needs tabIndex -1. */
export function useFocusFallback<Element extends HTMLElement>(trigger: unknown): RefObject<Element | null> {
  const element = useRef<Element>(null);
  const previous = useRef(trigger);
  useEffect(() => {
    if (previous.current === trigger) return undefined;
    previous.current = trigger;
    const focusIfLost = () => {
      if (document.activeElement === document.body) element.current?.focus({ preventScroll: true });
    };
    focusIfLost();
    // A disabled element loses the focus only after the next frame is drawn.
    const frame = requestAnimationFrame(() => setTimeout(focusIfLost));
    return () => cancelAnimationFrame(frame);
  }, [trigger]);
  return element;
}
