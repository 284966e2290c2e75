// The typed key. Each change is checked against the files, before a download is counted.
import { asFailure, type CipherKey, type Failure, KEY_BYTES, type PageFile } from '@furoshiki/core';
import { useEffect, useEffectEvent, useState } from 'react';
import { useServices } from '../../../services.ts';

export type KeyCheck =
  | { phase: 'empty' }
  | { phase: 'checking' }
  | { phase: 'fits'; key: CipherKey }
  | { phase: 'refused'; failure: Failure };

/** A shorter text is incomplete: a key in Base64 has more characters than bytes. */
const MIN_COMPLETE_LENGTH = KEY_BYTES;

export function useKey(files: readonly PageFile[], initial: string) {
  const { importKeyText, assertKeyFits } = useServices();
  const [typed, setTyped] = useState(initial);
  const [check, setCheck] = useState<KeyCheck>({ phase: 'empty' });
  const [isTyping, setTyping] = useState(false);
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
    if (typed.trim() === '' || identity === '') {
      settle({ phase: 'empty' });
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
  }, [typed, identity]);

  return {
    typed,
    setTyped(text: string) {
      setTyping(text.length < MIN_COMPLETE_LENGTH && Math.abs(text.length - typed.length) === 1);
      setTyped(text);
    },
    endTyping: () => setTyping(false),
    check,
    /** Why the key does not fit. Undefined while the user types it: an incomplete key is not wrong yet. */
    refusal: check.phase === 'refused' && !isTyping ? check.failure : undefined,
  };
}
