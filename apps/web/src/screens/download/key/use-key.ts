// The key as typed: checked against the page as soon as it changes, before any download is spent.
import { asFailure, type CipherKey, type Failure, KEY_BYTES, type PageFile } from '@furoshiki/core';
import { useEffect, useEffectEvent, useState } from 'react';
import { useServices } from '../../../services.ts';

export type KeyCheck =
  | { phase: 'empty' }
  | { phase: 'checking' }
  | { phase: 'fits'; key: CipherKey }
  | { phase: 'refused'; failure: Failure };

/** Whole keys in Base64 have more. */
const WHOLE_FROM = KEY_BYTES;

export function useKey(files: readonly PageFile[], given: string) {
  const { openKey } = useServices();
  const [typed, setTyped] = useState(given);
  const [check, setCheck] = useState<KeyCheck>({ phase: 'empty' });
  const [isTyping, setTyping] = useState(false);
  // A page that is asked for again brings new counts; the key fits what it fitted before, if it is that still.
  const identity = files.map(({ id, salt, keyCheck }) => [id, salt, keyCheck].join()).join();
  const open = useEffectEvent(() => openKey(typed, files));

  useEffect(() => {
    let isLatest = true;
    const settle = (next: KeyCheck) => {
      if (isLatest) setCheck(next);
    };
    if (typed.trim() === '' || identity === '') {
      settle({ phase: 'empty' });
    } else {
      settle({ phase: 'checking' });
      open().then(
        (key) => settle({ phase: 'fits', key }),
        (thrown: unknown) => settle({ phase: 'refused', failure: asFailure(thrown) }),
      );
    }
    return () => {
      isLatest = false;
    };
  }, [typed, identity]);

  return {
    typed,
    setTyped(text: string) {
      setTyping(text.length < WHOLE_FROM && Math.abs(text.length - typed.length) === 1);
      setTyped(text);
    },
    endTyping: () => setTyping(false),
    check,
    /** Why it does not fit. Whoever is about to type it, letter by letter, is not told at each of them that more are missing. */
    refusal: check.phase === 'refused' && !isTyping ? check.failure : undefined,
  };
}
