// Asks senders before they download their own files, because each download counts.
import type { PageFile } from '@furoshiki/api';
import { canArchive, canDownload, type PageEngine } from '@furoshiki/transfer';
import { type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../ui/buttons/confirm-button.tsx';

interface PendingDownload {
  /** The files whose count goes up. */
  files: readonly PageFile[];
  start: () => void;
}

/** Returns an engine whose downloads ask first if `isAsking`, and the dialog to render. */
export function useAskingEngine(engine: PageEngine, isAsking: boolean): [PageEngine, ReactNode] {
  const { t } = useTranslation();
  const [pending, setPending] = useState<PendingDownload>();
  const asking = useMemo<PageEngine>(() => {
    if (!isAsking) return engine;
    const ask = async (isWanted: (file: PageFile) => boolean, start: () => Promise<void>) => {
      // A file that this browser has a grant for is not counted again.
      const files = engine.getState().files.filter((file) => !file.granted && isWanted(file));
      if (files.length === 0) await start();
      else setPending({ files, start: () => void start() });
    };
    return {
      ...engine,
      download: (id) =>
        ask(
          (file) => file.id === id,
          () => engine.download(id),
        ),
      downloadAll: () =>
        ask(
          (file) => canDownload(engine.getState(), file, 'all'),
          () => engine.downloadAll(),
        ),
      downloadArchive: (fileName) =>
        ask(
          (file) => canArchive(engine.getState(), file),
          () => engine.downloadArchive(fileName),
        ),
    };
  }, [engine, isAsking]);
  if (!pending) return [asking, undefined];
  const { files, start } = pending;
  const isLast = files.some((file) => file.maxDownloads - file.currentDownloads <= 1);
  const numbers = { count: files.length, max: Math.max(...files.map((file) => file.maxDownloads)) };
  const dialog = (
    <ConfirmDialog
      question={t(isLast ? 'share.ownLastDownload' : 'share.ownDownload', numbers)}
      kind={isLast ? 'danger' : 'main'}
      confirmLabel={t('download.download')}
      cancelLabel={t('home.cancel')}
      onConfirm={start}
      onClose={() => setPending(undefined)}
    />
  );
  return [asking, dialog];
}
