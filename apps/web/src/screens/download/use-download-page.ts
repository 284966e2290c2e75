// All state of the download screen: the page and its download queue, the key, and the warnings about this browser.
import { shownName } from '@furoshiki/core';
import { fileStateOf, isPageBusy, type PageEngine, type PageState } from '@furoshiki/transfer';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDownloadUpdates } from '../../sharing/use-download-updates.ts';
import { type DownloadWarnings, useServices } from '../../services.ts';
import { useKeepAwake } from '../../transfer/use-keep-awake.ts';
import { useEngine } from '../../transfer/use-engine.ts';
import { useLeaveGuard } from '../../transfer/use-leave-guard.ts';
import { useLoaded } from '../../ui/lazy/load-once.ts';
import { useKey } from './key/use-key.ts';

export function useDownloadPage(pageId: string, initialKey: string, isSender: boolean) {
  const { t } = useTranslation();
  const services = useServices();
  const downloads = useLoaded(services.loadDownloads());
  const [state, engine] = useEngine<PageState, PageEngine>(() => downloads.createPage(pageId));
  const key = useKey(state.files, initialKey);
  const [warnings, setWarnings] = useState<DownloadWarnings>({ isInApp: false, memoryWarningAbove: undefined });
  const cipherKey = key.check.phase === 'fits' ? key.check.key : undefined;
  const hasEncrypted = state.files.some((file) => file.isEncrypted);

  useEffect(() => {
    if (pageId !== '') void engine.load();
  }, [engine, pageId]);
  useEffect(() => {
    void downloads.downloadWarnings().then(setWarnings);
  }, [downloads]);

  const isBusy = isPageBusy(state);
  useKeepAwake(isBusy);
  useLeaveGuard(isBusy);
  useDownloadUpdates(state, engine, isSender);
  const savedCount = state.files.filter(({ id }) => fileStateOf(state, id).phase === 'complete').length;
  const notifySaved = useEffectEvent((count: number) => {
    const last = state.files.findLast(({ id }) => fileStateOf(state, id).phase === 'complete');
    if (count > 0 && last) services.notify(t('notices.downloadDone', { name: shownName(last.fileName) }));
  });
  useEffect(() => notifySaved(savedCount), [savedCount]);

  return {
    state,
    isSender,
    engine,
    ...key,
    cipherKey,
    warnings,
    saveAgain: downloads.saveAgain,
    hasEncrypted,
    /** Whether to show the key field: if a file is encrypted, or if the link had a key. */
    needsKey: hasEncrypted || key.typed !== '',
    /** False until the key fits, and in browsers that cannot save: a download that cannot succeed must not be counted. */
    isReady: !warnings.isInApp && (cipherKey !== undefined || (!hasEncrypted && key.check.phase === 'empty')),
  };
}

export type DownloadPage = ReturnType<typeof useDownloadPage>;
