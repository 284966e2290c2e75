// A page as its sender watches it: asked for again and again, and told of when somebody has downloaded.
import type { PageEngine, PageState } from '@furoshiki/transfer';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useServices } from '../services.ts';

const EVERY_MS = 10_000;

export function useDownloadUpdates(state: PageState, engine: PageEngine, isWatched: boolean): void {
  const { t } = useTranslation();
  const { notify } = useServices();
  const count = downloadsOf(state);
  const isOver = state.phase === 'not-found';

  useEffect(() => {
    if (!isWatched || isOver) return undefined;
    const timer = setInterval(() => void engine.load(), EVERY_MS);
    return () => clearInterval(timer);
  }, [engine, isWatched, isOver]);

  const seen = useRef(count);
  const tell = useEffectEvent((downloads: number) => {
    if (isWatched && downloads > seen.current) notify(t('notices.fetched'));
    seen.current = downloads;
  });
  useEffect(() => tell(count), [count]);
}

function downloadsOf({ files }: PageState): number {
  return files.reduce((sum, file) => sum + file.currentDownloads, 0);
}
