// All state of the download screen: the page and its download queue, the key, and the warnings about this browser.
import { Failure } from '@furoshiki/api';
import { isHidden, KEY_BYTES, shownName } from '@furoshiki/format';
import { fileStateOf, isPageBusy, type PageEngine, type PageState } from '@furoshiki/transfer';
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type DownloadWarnings, useServices } from '../../services.ts';
import { useAskingEngine, useOpenPage, usePageEngine } from '../../sharing/page-engine.tsx';
import { useKeepAwake } from '../../transfer/use-engine.ts';
import { useLeaveGuard } from '../../transfer/use-leave-guard.ts';

/** `sentKey` is defined for the sender, right after the upload. `linkKey` is defined if the link had a key. */
export function useDownloadPage(pageId: string, sentKey: string | undefined, linkKey: string | undefined) {
  const { t } = useTranslation();
  const { notify, ownPages } = useServices();
  const isSender = sentKey !== undefined;
  const { downloads, state, isGone, ...page } = usePageEngine(pageId, isSender);
  const [engine, question] = useAskingEngine(page.engine, isSender);
  const key = useKey(page.engine, state, sentKey ?? linkKey ?? '');
  const [warnings, setWarnings] = useState<DownloadWarnings>({ isInApp: false, memoryWarningAbove: undefined });
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

  // Senders who open their link with key want to see what recipients see.
  const isOldSender = !isSender && linkKey === undefined && ownPages.has(pageId);
  const isReady = !warnings.isInApp && (key.check.phase === 'fits' || (!hasEncrypted && key.isEmpty));
  return {
    state,
    isSender,
    /** The sender after a reload: the key is lost. */
    isOldSender,
    /** Whether this tab has sent the files. */
    isOwn: isSender || isOldSender,
    isGone,
    engine,
    /** A dialog, if an action waits for the user's answer. */
    question,
    ...key,
    warnings,
    saveAgain: downloads.saveAgain,
    hasEncrypted,
    /** Whether the names are hidden, and the key is not entered yet. */
    isLocked: state.files.every((file) => isHidden(file) && !file.opened),
    /** Whether the field has the key that came with the link. */
    isKeyFromLink: !isSender && linkKey !== undefined && key.typed === linkKey,
    /** Whether to show the key field: if a file is encrypted, or if the link had a key. */
    needsKey: hasEncrypted || key.typed !== '',
    /** False until the key fits: a download that cannot succeed must not be counted. */
    isReady,
    /** Whether a click on a download button starts it or asks for the key. Never in browsers that cannot save. */
    isClickable: !warnings.isInApp && (isReady || key.isKeyWanted),
  };
}

export type DownloadPage = ReturnType<typeof useDownloadPage>;

/** A shorter text is incomplete: a key in Base64 has more characters than bytes. */
const MIN_COMPLETE_LENGTH = KEY_BYTES;

/** The typed key. Each change is checked against the files, before a download is counted. */
function useKey(engine: PageEngine, state: PageState, initial: string) {
  const [typed, setTyped] = useState(initial);
  const [isTyping, setTyping] = useState(false);
  const [isAskedFor, setAskedFor] = useState(false);
  const isEmpty = typed.trim() === '';
  const field = useRef<HTMLInputElement>(null);
  const check = useOpenPage(engine, state, isTyping ? '' : typed);
  const failure = check.phase === 'refused' ? check.failure : undefined;
  const tampering = failure?.details.tampering;

  /** Stays the same function, so that no row is drawn again. */
  const askForKey = useCallback(() => {
    setTyping(false);
    setAskedFor(true);
    field.current?.focus();
  }, []);
  const missing = isEmpty && isAskedFor ? new Failure('KEY_EMPTY') : undefined;

  return {
    typed,
    isEmpty,
    field,
    askForKey,
    /** Whether the user must enter a key, or another one. */
    isKeyWanted: (check.phase === 'none' || check.phase === 'refused') && tampering === undefined,
    setTyped(text: string) {
      setAskedFor(false);
      setTyping(text.length < MIN_COMPLETE_LENGTH && Math.abs(text.length - typed.length) === 1);
      setTyped(text);
    },
    endTyping: () => setTyping(false),
    check,
    /** How the page differs from what was sent. Only known if the key is right. */
    tampering,
    /** Why the key does not fit. Undefined while the user types it: an incomplete key is not wrong yet. */
    refusal: tampering === undefined ? (failure ?? missing) : undefined,
  };
}
