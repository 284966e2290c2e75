// What an error says about its cause, in a few words for the operator: at a failed start, and in the doctor.

/** An error of the S3 client that never reached the store. It has a name and no code. */
const NO_CREDENTIALS = 'CredentialsProviderError';
/** A response to HEAD has no body, so its error has a status and no name. */
const NAMES_OF_STATUS: Record<number, string> = { 301: 'PermanentRedirect', 403: 'AccessDenied', 404: 'NotFound' };

/**
 * Returns a code such as ENOSPC, NoSuchBucket or 28P01, or else the message. Messages of an S3 store are left out: they
 * may repeat an access key.
 */
export function reasonOf(error: unknown): string {
  const root = rootOf(error);
  if (!(root instanceof Error)) return String(root);
  const code = codeOf(root);
  const message = root.message.replaceAll(/\s+/gu, ' ');
  // All SQLite errors have the same code. PostgreSQL's codes are numbers.
  if (code === undefined || code === 'ERR_SQLITE_ERROR') return message;
  return 'severity' in root ? `${code}: ${message}` : code;
}

/** Returns undefined if the error has no code of its own. */
export function codeOf(error: unknown): string | undefined {
  const root = rootOf(error);
  if (!(root instanceof Error)) return undefined;
  const status = statusOf(root);
  if (status !== undefined)
    return /^(?:Unknown|\d)/u.test(root.name) ? (NAMES_OF_STATUS[status] ?? `status ${status}`) : root.name;
  if (root.name === NO_CREDENTIALS) return root.name;
  if ('engineCode' in root && typeof root.engineCode === 'string') return root.engineCode;
  if ('code' in root && typeof root.code === 'string') return root.code;
  return isTimeout(root) ? 'ETIMEDOUT' : undefined;
}

/** Migrations, fetch, sockets and our own failures wrap the real error. */
export function rootOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return rootOf(error.errors[0]);
  if (!(error instanceof Error) || !(error.cause instanceof Error)) return error;
  return error.name === NO_CREDENTIALS || isTimeout(error) ? error : rootOf(error.cause);
}

/** The HTTP status, if a store responded with this error. */
function statusOf(error: Error): number | undefined {
  if (!('$metadata' in error)) return undefined;
  return (error.$metadata as { httpStatusCode?: number }).httpStatusCode;
}

const isTimeout = (error: Error) => error.name === 'TimeoutError' || /\btimeout\b/iu.test(error.message);
