// The typed key. Each change is checked against the files, before a download is counted.
import { Failure } from '@furoshiki/api';
import { KEY_BYTES } from '@furoshiki/format';
import type { PageEngine, PageState } from '@furoshiki/transfer';
import { useCallback, useRef, useState } from 'react';
import { useOpenPage } from '../../../sharing/use-open-page.ts';

/** A shorter text is incomplete: a key in Base64 has more characters than bytes. */
const MIN_COMPLETE_LENGTH = KEY_BYTES;

export function useKey(engine: PageEngine, state: PageState, initial: string) {
  const [typed, setTyped] = useState(initial);
  const [isTyping, setTyping] = useState(false);
  const [isAskedFor, setAskedFor] = useState(false);
  const isEmpty = typed.trim() === '';
  const field = useRef<HTMLInputElement>(null);
  const check = useOpenPage(engine, state, isTyping ? '' : typed);
  const failure = check.phase === 'refused' ? check.failure : undefined;
  const tampering = failure?.details.tampering;

  /** Stays the same function, so that no row is drawn again. */
  const askForKey = useCallback(() => {
    setTyping(false);
    setAskedFor(true);
    field.current?.focus();
  }, []);
  const missing = isEmpty && isAskedFor ? new Failure('KEY_EMPTY') : undefined;

  return {
    typed,
    isEmpty,
    field,
    askForKey,
    /** Whether the user must enter a key, or another one. */
    isKeyWanted: (check.phase === 'none' || check.phase === 'refused') && tampering === undefined,
    setTyped(text: string) {
      setAskedFor(false);
      setTyping(text.length < MIN_COMPLETE_LENGTH && Math.abs(text.length - typed.length) === 1);
      setTyped(text);
    },
    endTyping: () => setTyping(false),
    check,
    /** How the page differs from what was sent. Only known if the key is right. */
    tampering,
    /** Why the key does not fit. Undefined while the user types it: an incomplete key is not wrong yet. */
    refusal: tampering === undefined ? (failure ?? missing) : undefined,
  };
}
