// All state of the download screen: the page and its download queue, the key, and the warnings about this browser.
import { shownName } from '@furoshiki/core';
import { fileStateOf, isPageBusy } from '@furoshiki/transfer';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePageEngine } from '../../sharing/use-page-engine.ts';
import { type DownloadWarnings, useServices } from '../../services.ts';
import { useKeepAwake } from '../../transfer/use-keep-awake.ts';
import { useLeaveGuard } from '../../transfer/use-leave-guard.ts';
import { useKey } from './key/use-key.ts';

export function useDownloadPage(pageId: string, initialKey: string, isSender: boolean) {
  const { t } = useTranslation();
  const { notify } = useServices();
  const { downloads, state, engine } = usePageEngine(pageId, isSender);
  const key = useKey(state.files, initialKey);
  const [warnings, setWarnings] = useState<DownloadWarnings>({ isInApp: false, memoryWarningAbove: undefined });
  const cipherKey = key.check.phase === 'fits' ? key.check.key : undefined;
  const hasEncrypted = state.files.some((file) => file.isEncrypted);

  useEffect(() => {
    void downloads.downloadWarnings().then(setWarnings);
  }, [downloads]);

  const isBusy = isPageBusy(state);
  useKeepAwake(isBusy);
  useLeaveGuard(isBusy);
  const savedCount = state.files.filter(({ id }) => fileStateOf(state, id).phase === 'complete').length;
  const notifySaved = useEffectEvent((count: number) => {
    const last = state.files.findLast(({ id }) => fileStateOf(state, id).phase === 'complete');
    if (count > 0 && last) notify(t('notices.downloadDone', { name: shownName(last.fileName) }));
  });
  useEffect(() => notifySaved(savedCount), [savedCount]);

  const isReady = !warnings.isInApp && (cipherKey !== undefined || (!hasEncrypted && key.isEmpty));
  return {
    state,
    isSender,
    engine,
    ...key,
    cipherKey,
    warnings,
    saveAgain: downloads.saveAgain,
    hasEncrypted,
    /** Whether the field has the key that came with the link. */
    isKeyFromLink: !isSender && initialKey !== '' && key.typed === initialKey,
    /** Whether to show the key field: if a file is encrypted, or if the link had a key. */
    needsKey: hasEncrypted || key.typed !== '',
    /** False until the key fits: a download that cannot succeed must not be counted. */
    isReady,
    /** Whether a click on a download button starts it or asks for the key. Never in browsers that cannot save. */
    isClickable: !warnings.isInApp && (isReady || key.isKeyWanted),
  };
}

export type DownloadPage = ReturnType<typeof useDownloadPage>;
