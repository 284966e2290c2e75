// Hooks that several screens use: where the focus goes, what has lasted, what time it is.
import { type RefObject, useEffect, useRef, useState } from 'react';

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

/**
 * Returns whether something has lasted for some time. The screen uses it to hide what ends quickly. Becomes true after
 * the time, counted only while `isCounting`, and stays true until it is no longer active.
 */
export function useLasting(isActive: boolean, ms: number, isCounting = isActive): boolean {
  const [hasLasted, setHasLasted] = useState(false);
  useEffect(() => (isActive ? () => setHasLasted(false) : undefined), [isActive]);
  useEffect(() => {
    if (!isCounting) return undefined;
    const timer = setTimeout(() => setHasLasted(true), ms);
    return () => clearTimeout(timer);
  }, [isCounting, ms]);
  return isActive && hasLasted;
}

const MINUTE_MS = 60_000;

/** The current time, updated every minute. */
export function useNow(): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}

/** For a ref: brings an element into view when it appears. */
export function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}
