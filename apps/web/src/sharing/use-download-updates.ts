// Polls the page for its sender, and notifies the sender of new downloads.
import type { PageEngine, PageState } from '@furoshiki/transfer';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useServices } from '../services.ts';

const POLL_INTERVAL_MS = 10_000;

export function useDownloadUpdates(state: PageState, engine: PageEngine, isEnabled: boolean): void {
  const { t } = useTranslation();
  const { notify } = useServices();
  const count = downloadsOf(state);

  useEffect(() => {
    if (!isEnabled) return undefined;
    const timer = setInterval(() => void engine.load(), POLL_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [engine, isEnabled]);

  const previous = useRef(count);
  const notifyDownload = useEffectEvent((downloads: number) => {
    if (isEnabled && downloads > previous.current) notify(t('notices.fetched'));
    previous.current = downloads;
  });
  useEffect(() => notifyDownload(count), [count]);
}

function downloadsOf({ files }: PageState): number {
  return files.reduce((sum, file) => sum + file.currentDownloads, 0);
}
