// Opens a page with a key: checks the key and everything that the server says, before a download is counted.
import { asFailure, type Failure } from '@furoshiki/api';
import { type PageEngine, type PageState, sealedFacts } from '@furoshiki/transfer';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { useServices } from '../services.ts';

export type KeyCheck =
  /** No key, or one that is still being typed. */
  { phase: 'none' } | { phase: 'checking' } | { phase: 'fits' } | { phase: 'refused'; failure: Failure };

/** An empty key text opens nothing. */
export function useOpenPage(engine: PageEngine, { files, sealedList }: PageState, keyText: string): KeyCheck {
  const { importKeyText } = useServices();
  const [check, setCheck] = useState<KeyCheck>({ phase: 'none' });
  // Reloading the page changes download counts only. The key is checked again only if something else has changed.
  const identity = useMemo(
    () => (files.length === 0 ? '' : [sealedList, ...files.map((file) => file.id + sealedFacts(file))].join()),
    [files, sealedList],
  );
  const open = useEffectEvent(async () => engine.open(await importKeyText(keyText)));

  useEffect(() => {
    let isLatest = true;
    const settle = (next: KeyCheck) => {
      if (isLatest) setCheck(next);
    };
    if (keyText.trim() === '' || identity === '') {
      settle({ phase: 'none' });
    } else {
      settle({ phase: 'checking' });
      open().then(
        () => settle({ phase: 'fits' }),
        (thrown: unknown) => settle({ phase: 'refused', failure: asFailure(thrown) }),
      );
    }
    return () => {
      isLatest = false;
    };
  }, [keyText, identity]);
  return check;
}
