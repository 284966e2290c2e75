// The closed list of failures. The server maps each code to a status, the screens map it to a text.
import { FORMAT_ERROR_CODES, FormatError, type FormatErrorDetails } from '@furoshiki/format';

/** Codes of the server, with the HTTP status of each. */
export const API_ERROR_STATUS = {
  VALIDATION_FAILED: 400,
  INVALID_EMAIL: 400,
  FILE_EMPTY: 400,
  ENCRYPTION_REQUIRED: 400,
  PART_LENGTH_INVALID: 400,
  NAMES_NOT_HIDDEN: 400,
  KEY_PROOF_REQUIRED: 401,
  SIGN_IN_REQUIRED: 401,
  CSRF_TOKEN_EXPIRED: 403,
  SIGNATURE_INVALID: 403,
  URL_EXPIRED: 403,
  DOWNLOAD_LIMIT_REACHED: 403,
  FORBIDDEN: 403,
  REQUEST_CLOSED: 403,
  REQUEST_FULL: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  PART_MISMATCH: 409,
  UPLOAD_CLOSED: 409,
  ALREADY_GROUPED: 409,
  FILE_TOO_LARGE: 413,
  SIZE_EXCEEDED: 413,
  BODY_TOO_LARGE: 413,
  URI_TOO_LONG: 414,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RANGE_NOT_SATISFIABLE: 416,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL: 500,
  SERVICE_UNAVAILABLE: 503,
  QUOTA_EXCEEDED: 507,
} as const;

export type ApiErrorCode = keyof typeof API_ERROR_STATUS;

/** Codes that only clients use. */
export const CLIENT_ERROR_CODES = [
  ...FORMAT_ERROR_CODES,
  'NETWORK',
  'TIMEOUT',
  'CANCELLED',
  'INVALID_URL',
  'API_ERROR',
  'STORAGE_ERROR',
  'DATA_INCOMPLETE',
  'FILE_UNREADABLE',
  'SAVE_FAILED',
  'SAVE_UNSUPPORTED',
  'UNKNOWN',
] as const;

export type FailureCode = ApiErrorCode | (typeof CLIENT_ERROR_CODES)[number];

/** Facts for error messages. Never a URL, a key, a token or a file name. */
export interface FailureDetails extends FormatErrorDetails {
  /** HTTP status of the response. */
  status?: number;
  /** The step of a download that failed. Both steps may have the same codes. */
  during?: 'fileInfo' | 'storage';
  /** When a retry may succeed. */
  retryAfterSeconds?: number;
  /** The part of a request that is not valid, such as `body.fileName`. A name, never a value. */
  field?: string;
  /** The error text of the response, to derive a category. It is foreign text: never shown, never logged. */
  text?: string;
  /** What our server says to the user, in the language of the request. Only if the code is one of ours. */
  message?: string;
  /** A code in the response that is not one of ours, for the same purpose as `text`. */
  foreignCode?: string;
}

export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: FailureCode;
  readonly details: FailureDetails;

  constructor(code: FailureCode, details: FailureDetails = {}, options?: { cause?: unknown }) {
    super(code, options);
    this.code = code;
    this.details = details;
  }
}

/** Returns anything thrown as a Failure. Unexpected errors become UNKNOWN and keep their cause. */
export function asFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  if (thrown instanceof FormatError) return new Failure(thrown.code, thrown.details, { cause: thrown });
  return new Failure('UNKNOWN', {}, { cause: thrown });
}

/** Returns the failure with the step of the download in which it happened. */
export function failureDuring(during: NonNullable<FailureDetails['during']>, thrown: unknown): Failure {
  const { code, details, cause } = asFailure(thrown);
  return new Failure(code, { ...details, during }, { cause });
}

export function isApiErrorCode(code: unknown): code is ApiErrorCode {
  return typeof code === 'string' && Object.hasOwn(API_ERROR_STATUS, code);
}
