// All that the download screen knows: the page and its queue, the key, and what this browser can save.
import type { PageEngine, PageState } from '@furoshiki/transfer';
import { useEffect, useState } from 'react';
import { type SavingLimits, useServices } from '../../services.ts';
import { useEngine } from '../../use-engine.ts';
import { useKey } from './use-key.ts';

export function useDownloadPage(pageID: string, givenKey: string) {
  const services = useServices();
  const [state, engine] = useEngine<PageState, PageEngine>(() => services.createPage(pageID));
  const key = useKey(state.files, givenKey);
  const [limits, setLimits] = useState<SavingLimits>({ isInApp: false, memoryWarningAbove: undefined });
  const cipherKey = key.check.phase === 'fits' ? key.check.key : undefined;
  const hasEncrypted = state.files.some((file) => file.isEncrypted);

  useEffect(() => {
    if (pageID !== '') void engine.load();
  }, [engine, pageID]);
  useEffect(() => {
    void services.savingLimits().then(setLimits);
  }, [services]);

  return {
    state,
    engine,
    ...key,
    cipherKey,
    limits,
    hasEncrypted,
    /** Whether a key is asked for: where a file is encrypted, and where somebody came with one. */
    wantsKey: hasEncrypted || key.typed !== '',
    /** Nothing is asked of the server before the key is known to fit, or where this browser could not save it. */
    isReady: !limits.isInApp && (cipherKey !== undefined || (!hasEncrypted && key.check.phase === 'empty')),
  };
}

export type DownloadPage = ReturnType<typeof useDownloadPage>;
