// Subscribes to the engine of one download page, and loads the page.
import { isUsedUp, type PageEngine, type PageState } from '@furoshiki/transfer';
import { useEffect } from 'react';
import { useServices } from '../services.ts';
import { useEngine } from '../transfer/use-engine.ts';
import { useLoaded } from '../ui/lazy/load-once.ts';
import { useDownloadUpdates } from './use-download-updates.ts';

/** Suspends until the code for downloads is loaded. An empty `pageId` (an incomplete link) loads nothing. */
export function usePageEngine(pageId: string, isSender: boolean) {
  const { loadDownloads } = useServices();
  const downloads = useLoaded(loadDownloads());
  const [state, engine] = useEngine<PageState, PageEngine>(() => downloads.createPage(pageId));
  useEffect(() => {
    if (pageId !== '') void engine.load();
  }, [engine, pageId]);
  const isGone = isPageGone(state);
  useDownloadUpdates(state, engine, isSender && !isGone);
  return { downloads, state, engine, isGone };
}

/** Whether no file can be downloaded any longer. Files that the user has just downloaded may still be listed. */
function isPageGone({ phase, files }: PageState): boolean {
  return phase === 'not-found' || (phase === 'shown' && files.every(isUsedUp));
}
