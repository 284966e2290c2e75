// The key as typed: checked against the page as soon as it changes, before any download is spent.
import { asFailure, type CipherKey, type Failure, type PageFile } from '@furoshiki/core';
import { useEffect, useState } from 'react';
import { useServices } from '../../services.ts';

export type KeyCheck =
  | { phase: 'empty' }
  | { phase: 'checking' }
  | { phase: 'fits'; key: CipherKey }
  | { phase: 'refused'; failure: Failure };

export function useKey(files: readonly PageFile[], given: string) {
  const { openKey } = useServices();
  const [typed, setTyped] = useState(given);
  const [check, setCheck] = useState<KeyCheck>({ phase: 'empty' });

  useEffect(() => {
    let isLatest = true;
    const settle = (next: KeyCheck) => {
      if (isLatest) setCheck(next);
    };
    if (typed.trim() === '' || files.length === 0) {
      settle({ phase: 'empty' });
    } else {
      settle({ phase: 'checking' });
      openKey(typed, files).then(
        (key) => settle({ phase: 'fits', key }),
        (thrown: unknown) => settle({ phase: 'refused', failure: asFailure(thrown) }),
      );
    }
    return () => {
      isLatest = false;
    };
  }, [typed, files, openKey]);

  return { typed, setTyped, check };
}
