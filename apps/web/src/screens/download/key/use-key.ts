// The typed key. Each change is checked against the files, before a download is counted.
import { asFailure, type CipherKey, Failure, KEY_BYTES, type PageFile } from '@furoshiki/core';
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useServices } from '../../../services.ts';

export type KeyCheck =
  /** No key, or one that is still being typed. */
  | { phase: 'none' }
  | { phase: 'checking' }
  | { phase: 'fits'; key: CipherKey }
  | { phase: 'refused'; failure: Failure };

/** A shorter text is incomplete: a key in Base64 has more characters than bytes. */
const MIN_COMPLETE_LENGTH = KEY_BYTES;

export function useKey(files: readonly PageFile[], initial: string) {
  const { importKeyText, assertKeyFits } = useServices();
  const [typed, setTyped] = useState(initial);
  const [check, setCheck] = useState<KeyCheck>({ phase: 'none' });
  const [isTyping, setTyping] = useState(false);
  const [isAskedFor, setAskedFor] = useState(false);
  const isEmpty = typed.trim() === '';
  const field = useRef<HTMLInputElement>(null);
  // Reloading the page changes download counts only. The key is checked again only if these fields have changed.
  const identity = files.map(({ id, salt, keyCheck }) => [id, salt, keyCheck].join()).join();
  const findKey = useEffectEvent(async () => {
    const key = await importKeyText(typed);
    await assertKeyFits(key, files);
    return key;
  });

  useEffect(() => {
    let isLatest = true;
    const settle = (next: KeyCheck) => {
      if (isLatest) setCheck(next);
    };
    if (typed.trim() === '' || isTyping || identity === '') {
      settle({ phase: 'none' });
    } else {
      settle({ phase: 'checking' });
      findKey().then(
        (key) => settle({ phase: 'fits', key }),
        (thrown: unknown) => settle({ phase: 'refused', failure: asFailure(thrown) }),
      );
    }
    return () => {
      isLatest = false;
    };
  }, [typed, isTyping, identity]);

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
    isKeyWanted: check.phase === 'none' || check.phase === 'refused',
    setTyped(text: string) {
      setAskedFor(false);
      setTyping(text.length < MIN_COMPLETE_LENGTH && Math.abs(text.length - typed.length) === 1);
      setTyped(text);
    },
    endTyping: () => setTyping(false),
    check,
    /** Why the key does not fit. Undefined while the user types it: an incomplete key is not wrong yet. */
    refusal: check.phase === 'refused' ? check.failure : missing,
  };
}
