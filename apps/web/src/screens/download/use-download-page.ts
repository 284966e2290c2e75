// All state of the download screen: the page and its download queue, the key, and the warnings about this browser.
import { Failure } from '@furoshiki/api';
import { shownName } from '@furoshiki/format';
import { fileStateOf, isPageBusy, type PageEngine, type PageState } from '@furoshiki/transfer';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from '../../ui/i18n.ts';
import { type Downloads, type DownloadWarnings, useServices } from '../../services.ts';
import { useAskingEngine, usePageEngine } from '../../sharing/page-engine.tsx';
import { useKeepAwake } from '../../transfer/use-engine.ts';
import { useLeaveGuard } from '../../transfer/use-leave-guard.ts';
import { type Preview, usePreview } from './use-preview.ts';
import { type EnteredKey, type KeyStatus, useKey } from './use-key.ts';

/** `old-sender`: the sender after a reload, when the key is lost. */
export type Viewer = 'recipient' | 'sender' | 'old-sender';

/**
 * What a press on a download button does: it starts the download, asks for the key, or nothing. A download that cannot
 * succeed must not be counted, and some browsers cannot save.
 */
export type Access = { kind: 'open' } | { kind: 'key-wanted'; ask: () => void } | { kind: 'closed' };

interface KeyField extends Pick<EnteredKey, 'typed' | 'input' | 'suggestions' | 'onChange' | 'onChoose' | 'onBlur'> {
  /** Whether it has the key that came with the link. */
  isFromLink: boolean;
  /** False if the server says that the files are not encrypted, and no key was entered: there may be none. */
  needsKey: boolean;
}

interface AnyPage {
  viewer: Viewer;
  state: PageState;
  /** Whether no file can be downloaded any longer. Files may still be listed. */
  isGone: boolean;
  /** A dialog, if an action waits for the user's answer. */
  question: ReactNode;
}

export interface ShownPage extends AnyPage {
  phase: 'shown';
  engine: PageEngine;
  key: KeyStatus;
  /** Undefined if the sender has just sent the page. */
  keyField: KeyField | undefined;
  access: Access;
  warnings: DownloadWarnings;
  saveAgain: Downloads['saveAgain'];
  savedFolder: Downloads['savedFolder'];
  preview: Preview;
  fileShare: Downloads['fileShare'];
}

/** All state of the download screen. */
export type DownloadPage =
  | (AnyPage & { phase: 'no-id' | 'loading' | 'not-found' })
  | (AnyPage & { phase: 'failed'; failure: Failure; retry: () => void })
  | ShownPage;

/** `sentKey` is defined for the sender, right after the upload. `linkKey` is defined if the link had a key. */
export function useDownloadPage(
  pageId: string,
  sentKey: string | undefined,
  linkKey: string | undefined,
): DownloadPage {
  const { t } = useTranslation();
  const { notify, ownPages } = useServices();
  const isSender = sentKey !== undefined;
  const { downloads, state, isGone, engine } = usePageEngine(pageId, isSender);
  const [askingEngine, question] = useAskingEngine(engine, isSender);
  const key = useKey(engine, state, sentKey ?? linkKey ?? '');
  const [warnings, setWarnings] = useState<DownloadWarnings>({ isInApp: false, memoryWarningAbove: undefined });

  useEffect(() => {
    void downloads.downloadWarnings().then(setWarnings);
  }, [downloads]);

  const preview = usePreview(engine, downloads);
  const isBusy = isPageBusy(state);
  useKeepAwake(isBusy || preview.current?.content.phase === 'opening');
  useLeaveGuard(isBusy);
  const savedCount = state.files.filter(({ id }) => fileStateOf(state, id).phase === 'complete').length;
  const notifySaved = useEffectEvent((count: number) => {
    const last = state.files.findLast(({ id }) => fileStateOf(state, id).phase === 'complete');
    if (count > 0 && last) notify(t('notices.downloadDone', { name: shownName(last.fileName) }));
  });
  useEffect(() => notifySaved(savedCount), [savedCount]);

  // Senders who open their link with key want to see what recipients see.
  const isOldSender = !isSender && linkKey === undefined && ownPages.has(pageId);
  const ownViewer = isOldSender ? 'old-sender' : 'recipient';
  const page: AnyPage = { viewer: isSender ? 'sender' : ownViewer, state, isGone, question };
  switch (state.phase) {
    case 'loading':
      return { ...page, phase: pageId === '' ? 'no-id' : 'loading' };
    case 'not-found':
      return { ...page, phase: 'not-found' };
    case 'failed':
      return {
        ...page,
        phase: 'failed',
        failure: state.failure ?? new Failure('UNKNOWN'),
        retry: () => void engine.load(),
      };
    case 'shown': {
      const hasEncrypted = state.files.some((file) => file.isEncrypted);
      const { status, askForKey, ...entered } = key;
      const { typed } = entered;
      // Also after a key was entered and removed again: a user who has one was sent encrypted files.
      const needsKey = hasEncrypted || typed.trim() !== '' || state.hasKey === true;
      return {
        ...page,
        phase: 'shown',
        engine: askingEngine,
        key: status,
        keyField: isSender ? undefined : { ...entered, isFromLink: typed === linkKey, needsKey },
        access: warnings.isInApp ? CLOSED : accessWith(status, needsKey, askForKey),
        warnings,
        saveAgain: downloads.saveAgain,
        savedFolder: downloads.savedFolder,
        preview,
        fileShare: downloads.fileShare,
      };
    }
    default:
      return state.phase satisfies never;
  }
}

const CLOSED: Access = { kind: 'closed' };

function accessWith({ phase }: KeyStatus, isKeyNeeded: boolean, ask: () => void): Access {
  if (phase === 'fits' || !isKeyNeeded) return { kind: 'open' };
  return phase === 'none' || phase === 'wrong' ? { kind: 'key-wanted', ask } : CLOSED;
}
