// The key that is being entered on the download screen, in Base64 or as words: what is known of it, and suggestions for words.
import { Failure } from '@furoshiki/api';
import { endsInWord, isWordShaped, KEY_BYTES, type Tampering, WORD_COUNT, wordsIn } from '@furoshiki/format';
import type { PageEngine, PageState } from '@furoshiki/transfer';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type TypedWords, useServices } from '../../services.ts';
import { type KeyCheck, useOpenPage } from '../../sharing/page-engine.tsx';

/** What is known of the key. A `wrong` one does not fit, or is missing although the user wants to download. */
export type KeyStatus =
  /** No key, or one that is still being typed. */
  | { phase: 'none' }
  | { phase: 'checking' }
  | { phase: 'fits' }
  | { phase: 'wrong'; failure: Failure }
  /** The key is right, and the page differs from what was sent. */
  | { phase: 'tampered'; tampering: Tampering };

/** A shorter text is incomplete: a key in Base64 has more characters than bytes. */
const MIN_COMPLETE_LENGTH = KEY_BYTES;
const NO_WORDS: readonly string[] = [];

export type EnteredKey = ReturnType<typeof useKey>;

/** The typed key. Each change is checked against the files, before a download is counted. */
export function useKey(engine: PageEngine, state: PageState, initial: string) {
  const [typed, setTyped] = useState(initial);
  const [isTyping, setTyping] = useState(false);
  const [isAskedFor, setAskedFor] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const words = useTypedWords(typed);
  // The beginning of the last word may be enough. Until it is complete, that it does not fit says nothing.
  const isWhole = !isTyping || (isWordShaped(typed) && wordsIn(typed).length === WORD_COUNT);
  const check = useOpenPage(engine, state, isWhole ? typed : '');
  const opened = isTyping && check.phase === 'refused' && !check.failure.details.tampering ? NO_KEY : check;

  /** Stays the same function, so that no row is drawn again. */
  const askForKey = useCallback(() => {
    setTyping(false);
    setAskedFor(true);
    input.current?.focus();
  }, []);

  function change(text: string): void {
    setAskedFor(false);
    setTyping(isBeingTyped(text, typed));
    setTyped(text);
  }

  return {
    typed,
    input,
    askForKey,
    suggestions: opened.phase === 'fits' ? NO_WORDS : (words?.suggestions ?? NO_WORDS),
    onChange: change,
    /** Replaces the beginning of the last word. */
    onChoose: (word: string) => change(`${typed.replace(/[\p{L}\p{M}]+$/u, '')}${word} `),
    onBlur: () => setTyping(false),
    status: statusOf(opened, isAskedFor && typed.trim() === '', words?.failure),
  };
}

const NO_KEY: KeyCheck = { phase: 'none' };

/** Whether a text will be continued, so that it is no mistake that it is incomplete. A key that was pasted is complete. */
function isBeingTyped(text: string, before: string): boolean {
  const isOneLetter = Math.abs(text.length - before.length) === 1;
  if (!isWordShaped(text)) return text.length < MIN_COMPLETE_LENGTH && isOneLetter;
  const count = wordsIn(text).length;
  // A screen keyboard adds a whole word at once.
  const isOneWord = Math.abs(count - wordsIn(before).length) <= 1;
  return (isOneLetter || isOneWord) && (count < WORD_COUNT || (count === WORD_COUNT && endsInWord(text)));
}

/** What is known of the words of a key. Undefined if the text does not look like words, or the words cannot be loaded. */
function useTypedWords(typed: string): TypedWords | undefined {
  const { readWords } = useServices();
  const [words, setWords] = useState<TypedWords>();
  const areWords = isWordShaped(typed);
  useEffect(() => {
    if (!areWords) return undefined;
    let isLatest = true;
    readWords(typed).then(
      (read) => isLatest && setWords(read),
      () => isLatest && setWords(undefined),
    );
    return () => {
      isLatest = false;
    };
  }, [readWords, typed, areWords]);
  return areWords ? words : undefined;
}

function statusOf(check: KeyCheck, isMissing: boolean, ofWords: Failure | undefined): KeyStatus {
  if (check.phase === 'none' && ofWords) return { phase: 'wrong', failure: ofWords };
  if (check.phase !== 'refused') return isMissing ? { phase: 'wrong', failure: new Failure('KEY_EMPTY') } : check;
  const { failure } = check;
  const { tampering } = failure.details;
  return tampering === undefined ? { phase: 'wrong', failure } : { phase: 'tampered', tampering };
}
