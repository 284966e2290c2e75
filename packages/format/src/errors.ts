// The errors of the sealed format.

export const FORMAT_ERROR_CODES = [
  'CHUNK_SIZE_INVALID',
  'ENCRYPTION_FAILED',
  'DECRYPTION_FAILED',
  'KEY_EMPTY',
  'KEY_INVALID_LENGTH',
  'KEY_INVALID_CHARACTERS',
  'KEY_IMPORT_FAILED',
  'KEY_WORD_UNKNOWN',
  'KEY_WORD_AMBIGUOUS',
  'KEY_WORDS_COUNT',
  'KEY_WORDS_WRONG',
  'KEY_INCORRECT',
  'PAGE_TAMPERED',
  'FOLDER_INVALID',
] as const;
export type FormatErrorCode = (typeof FORMAT_ERROR_CODES)[number];

/** How a page differs from what the sender has sent. */
export const TAMPERINGS = [
  'notEncrypted',
  'encryptionChanged',
  'fileAdded',
  'orderChanged',
  'nameChanged',
  'sizeChanged',
  'detailsChanged',
  'listChanged',
] as const;
export type Tampering = (typeof TAMPERINGS)[number];

/** Facts for error messages. Never a key or a file name. Of a key of words, only the one word that is wrong. */
export interface FormatErrorDetails {
  /** How many bytes a key of the wrong length decoded to. */
  byteCount?: number;
  /** How many words a key of another number of words has. */
  count?: number;
  /** A typed word that is in no list, or that can mean several words. Only for the person who has typed it: never logged. */
  word?: string;
  /** Which words it may mean. */
  likelyWords?: readonly string[];
  /** How the page differs from what was sent. */
  tampering?: Tampering;
}

export class FormatError extends Error {
  override readonly name = 'FormatError';
  readonly code: FormatErrorCode;
  readonly details: FormatErrorDetails;

  constructor(code: FormatErrorCode, details: FormatErrorDetails = {}, options?: { cause?: unknown }) {
    super(code, options);
    this.code = code;
    this.details = details;
  }
}
