// The engine of one download page, for its screen and for its sender: loads the page, opens it with a key, notifies the
// sender of downloads, asks before senders download their own files, and shows whether a deletion succeeded.
import { asFailure, type Failure, type PageFile } from '@furoshiki/api';
import { shownName } from '@furoshiki/format';
import { canArchive, canDownload, isUsedUp, type PageEngine, type PageState, sealedFacts } from '@furoshiki/transfer';
import { type ReactNode, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { useTranslation } from '../ui/i18n.ts';
import { useServices } from '../services.ts';
import { useEngine } from '../transfer/use-engine.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { useLoaded } from '../ui/lazy.tsx';
import { Notice } from '../ui/message.tsx';

/** Suspends until the code for downloads is loaded. An empty `pageId` (an incomplete link) loads nothing. */
export function usePageEngine(pageId: string, isSender: boolean) {
  const { loadDownloads } = useServices();
  const downloads = useLoaded(loadDownloads);
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

export type KeyCheck =
  /** No key, or one that is still being typed. */
  { phase: 'none' } | { phase: 'checking' } | { phase: 'fits' } | { phase: 'refused'; failure: Failure };

/**
 * Opens a page with a key: checks the key and everything that the server says, before a download is counted. An empty
 * key text opens nothing.
 */
export function useOpenPage(engine: PageEngine, { files, sealedList }: PageState, keyText: string): KeyCheck {
  const { importKeyText } = useServices();
  const [settled, setSettled] = useState<{ attempt: string; check: KeyCheck }>();
  // Reloading the page changes download counts only. The key is checked again only if something else has changed.
  const identity = useMemo(
    () => (files.length === 0 ? '' : [sealedList, ...files.map((file) => file.id + sealedFacts(file))].join()),
    [files, sealedList],
  );
  const attempt = keyText.trim() === '' || identity === '' ? '' : `${keyText} ${identity}`;
  const open = useEffectEvent(async () => engine.open(await importKeyText(keyText)));

  useEffect(() => {
    if (attempt === '') return undefined;
    let isLatest = true;
    const settle = (check: KeyCheck) => {
      if (isLatest) setSettled({ attempt, check });
    };
    open().then(
      () => settle({ phase: 'fits' }),
      (thrown: unknown) => settle({ phase: 'refused', failure: asFailure(thrown) }),
    );
    return () => {
      isLatest = false;
    };
  }, [attempt]);
  if (attempt === '') return NO_KEY;
  // From the first render on: otherwise a click at once would ask for a key that is already there.
  return settled?.attempt === attempt ? settled.check : CHECKING;
}

const NO_KEY: KeyCheck = { phase: 'none' };
const CHECKING: KeyCheck = { phase: 'checking' };

const POLL_INTERVAL_MS = 10_000;

/** Polls the page for its sender, and notifies the sender of new downloads. */
function useDownloadUpdates(state: PageState, engine: PageEngine, isEnabled: boolean): void {
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

interface PendingDownload {
  /** The files whose count goes up. */
  files: readonly PageFile[];
  start: () => void;
}

/**
 * Asks senders before they download their own files, because each download counts. Returns an engine whose downloads
 * ask first if `isAsking`, and the dialog to render.
 */
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

/** Shows whether a deletion succeeded. */
export function PageNotice({ notice }: { notice: PageState['notice'] }) {
  const { t } = useTranslation();
  if (!notice) return null;
  if (notice.kind === 'allDeleted') return <Notice kind="good">{t('download.allDeleted')}</Notice>;
  if (notice.kind === 'someNotDeleted')
    return <Notice kind="bad">{t('download.someNotDeleted', { count: notice.count })}</Notice>;
  const isDone = notice.kind === 'deleted';
  return (
    <Notice kind={isDone ? 'good' : 'bad'}>
      {t(isDone ? 'download.deleted' : 'download.deleteFailed', { name: shownName(notice.fileName) })}
    </Notice>
  );
}
