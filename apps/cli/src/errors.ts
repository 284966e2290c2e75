// What ends a command: errors with a message of their own, exit codes, and the one line for anything that is thrown.
import {
  asFailure,
  downloadCategory,
  type Failure,
  type FailureCode,
  isApiErrorCode,
  limitGbOf,
  uploadCategory,
} from '@furoshiki/api';
import { shownName } from '@furoshiki/format';
import type { CliTextName } from '@furoshiki/texts/translate';
import type { Texts } from './texts.ts';

export const EXIT = { done: 0, failed: 1, usage: 2, wrongKey: 3, gone: 4, differs: 5, cancelled: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error that a person can act on. `text` names its message. */
export class CliError extends Error {
  readonly text: CliTextName;
  readonly values: Record<string, string | number>;
  readonly exitCode: ExitCode;

  constructor(text: CliTextName, values: Record<string, string | number> = {}, exitCode: ExitCode = EXIT.failed) {
    super(text);
    this.text = text;
    this.values = values;
    this.exitCode = exitCode;
  }
}

const KEY_CODES = [
  'KEY_EMPTY',
  'KEY_INVALID_LENGTH',
  'KEY_INVALID_CHARACTERS',
  'KEY_IMPORT_FAILED',
  'KEY_INCORRECT',
  'KEY_WORD_UNKNOWN',
  'KEY_WORD_AMBIGUOUS',
  'KEY_WORDS_COUNT',
  'KEY_WORDS_WRONG',
] as const satisfies FailureCode[];
const keyCodeOf = (code: FailureCode) => KEY_CODES.find((keyCode) => keyCode === code);
const GONE = new Set<FailureCode>(['NOT_FOUND', 'DOWNLOAD_LIMIT_REACHED']);

export function isWrongKey(thrown: unknown): boolean {
  const { code } = asFailure(thrown);
  return code === 'KEY_PROOF_REQUIRED' || keyCodeOf(code) !== undefined;
}

export function exitCodeOf(thrown: unknown): ExitCode {
  if (thrown instanceof CliError) return thrown.exitCode;
  const { code, cause } = asFailure(thrown);
  if (cause instanceof CliError) return cause.exitCode;
  if (code === 'CANCELLED') return EXIT.cancelled;
  if (isWrongKey(thrown)) return EXIT.wrongKey;
  if (code === 'PAGE_TAMPERED') return EXIT.differs;
  return GONE.has(code) ? EXIT.gone : EXIT.failed;
}

/** `direction`: what was being done, because the same code means something else for a sender and a recipient. */
export function errorText(texts: Texts, thrown: unknown, direction: 'upload' | 'download'): string {
  if (thrown instanceof CliError) return texts.t(thrown.text, thrown.values);
  const failure = asFailure(thrown);
  if (failure.cause instanceof CliError) return texts.t(failure.cause.text, failure.cause.values);
  // A text of the server may have control characters, which could change what the terminal shows.
  return shownName(textOf(texts, failure, direction));
}

function textOf({ t, screens }: Texts, failure: Failure, direction: 'upload' | 'download'): string {
  const { code, details, cause } = failure;
  if (code === 'UNKNOWN')
    return t('failed.unknown', { reason: cause instanceof Error ? cause.message : String(cause) });
  if (code === 'PAGE_TAMPERED')
    return `${screens(`tampering.${details.tampering ?? 'detailsChanged'}`)} ${t('receive.tampered')}`;
  const keyCode = keyCodeOf(code);
  if (keyCode) {
    const { byteCount, count, word, likelyWords = [] } = details;
    const name = keyCode === 'KEY_WORD_UNKNOWN' && likelyWords.length > 0 ? 'wordUnknown' : keyCode;
    return screens(`keyErrors.${name}`, { byteCount, count, word, likely: likelyWords.join(', ') });
  }
  if (code === 'SIGN_IN_REQUIRED') return t('send.signInRequired');
  if (code === 'NOT_FOUND' && direction === 'download') return t('receive.gone');
  if (isApiErrorCode(code)) return details.message ?? screens(`apiErrors.${code}`);
  return direction === 'upload'
    ? screens(`uploadErrors.${uploadCategory(failure)}`, { size: limitGbOf(failure) })
    : screens(`downloadErrors.${downloadCategory(failure)}`, { status: details.status });
}
