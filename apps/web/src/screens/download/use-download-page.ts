// All state of the download screen: the page and its download queue, the key, and the warnings about this browser.
import { Failure } from '@furoshiki/api';
import { KEY_BYTES, shownName, type Tampering } from '@furoshiki/format';
import { fileStateOf, isPageBusy, type PageEngine, type PageState } from '@furoshiki/transfer';
import { type ReactNode, type RefObject, useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslation } from '../../ui/i18n.ts';
import { type Downloads, type DownloadWarnings, useServices } from '../../services.ts';
import { type KeyCheck, useAskingEngine, useOpenPage, usePageEngine } from '../../sharing/page-engine.tsx';
import { useKeepAwake } from '../../transfer/use-engine.ts';
import { useLeaveGuard } from '../../transfer/use-leave-guard.ts';

/** `old-sender`: the sender after a reload, when the key is lost. */
export type Viewer = 'recipient' | 'sender' | 'old-sender';

/** What is known of the key. A `wrong` one does not fit, or is missing although the user wants to download. */
export type KeyStatus =
  /** No key, or one that is still being typed. */
  | { phase: 'none' }
  | { phase: 'checking' }
  | { phase: 'fits' }
  | { phase: 'wrong'; failure: Failure }
  /** The key is right, and the page differs from what was sent. */
  | { phase: 'tampered'; tampering: Tampering };

/**
 * What a press on a download button does: it starts the download, asks for the key, or nothing. A download that cannot
 * succeed must not be counted, and some browsers cannot save.
 */
export type Access = { kind: 'open' } | { kind: 'key-wanted'; ask: () => void } | { kind: 'closed' };

interface KeyField {
  typed: string;
  /** Whether it has the key that came with the link. */
  isFromLink: boolean;
  /** False if the server says that the files are not encrypted, and no key was entered: there may be none. */
  needsKey: boolean;
  input: RefObject<HTMLInputElement | null>;
  onChange: (text: string) => void;
  onBlur: () => void;
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

  const isBusy = isPageBusy(state);
  useKeepAwake(isBusy);
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
      const { typed, input, setTyped, endTyping, status, askForKey } = key;
      // Also after a key was entered and removed again: a user who has one was sent encrypted files.
      const needsKey = hasEncrypted || typed.trim() !== '' || state.hasKey === true;
      return {
        ...page,
        phase: 'shown',
        engine: askingEngine,
        key: status,
        keyField: isSender
          ? undefined
          : { typed, isFromLink: typed === linkKey, needsKey, input, onChange: setTyped, onBlur: endTyping },
        access: warnings.isInApp ? CLOSED : accessWith(status, needsKey, askForKey),
        warnings,
        saveAgain: downloads.saveAgain,
        savedFolder: downloads.savedFolder,
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

/** A shorter text is incomplete: a key in Base64 has more characters than bytes. */
const MIN_COMPLETE_LENGTH = KEY_BYTES;

/** The typed key. Each change is checked against the files, before a download is counted. */
function useKey(engine: PageEngine, state: PageState, initial: string) {
  const [typed, setTyped] = useState(initial);
  const [isTyping, setTyping] = useState(false);
  const [isAskedFor, setAskedFor] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const check = useOpenPage(engine, state, isTyping ? '' : typed);

  /** Stays the same function, so that no row is drawn again. */
  const askForKey = useCallback(() => {
    setTyping(false);
    setAskedFor(true);
    input.current?.focus();
  }, []);

  return {
    typed,
    input,
    askForKey,
    setTyped(text: string) {
      setAskedFor(false);
      setTyping(text.length < MIN_COMPLETE_LENGTH && Math.abs(text.length - typed.length) === 1);
      setTyped(text);
    },
    endTyping: () => setTyping(false),
    status: statusOf(check, isAskedFor && typed.trim() === ''),
  };
}

function statusOf(check: KeyCheck, isMissing: boolean): KeyStatus {
  if (check.phase !== 'refused') return isMissing ? { phase: 'wrong', failure: new Failure('KEY_EMPTY') } : check;
  const { failure } = check;
  const { tampering } = failure.details;
  return tampering === undefined ? { phase: 'wrong', failure } : { phase: 'tampered', tampering };
}
