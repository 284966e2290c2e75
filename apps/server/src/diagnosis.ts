// What an error of a database or a store says about its cause, and what the operator can do about it: at a failed start, and in
// the doctor.
import { existsSync } from 'node:fs';

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
function rootOf(error: unknown): unknown {
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

/** What failed: PostgreSQL, SQLite, an S3 store, or a folder of this machine. */
export type Service = 'postgres' | 'sqlite' | 's3' | 'disk';

const UNTRUSTED = 'this machine does not trust its certificate: name the file of its authority in NODE_EXTRA_CA_CERTS';
const SILENT = 'it does not respond: check that it runs, and that no firewall is between';

/** Before a service has responded. */
const NETWORK: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there: check that it runs, and that host and port are right',
  ENOTFOUND: 'its host name is unknown: correct it, or check the DNS of this machine',
  EAI_AGAIN: 'its host name cannot be resolved now: check the DNS of this machine',
  EHOSTUNREACH: SILENT,
  ENETUNREACH: SILENT,
  ETIMEDOUT: SILENT,
  ECONNRESET: 'it closes connections: see its own log',
  EPROTO: 'it does not speak TLS there: check http:// and https://, and the port',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: 'its certificate has expired: renew it, or correct the clock of this machine',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet: correct the clock of this machine',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name: use that name, or issue the certificate again',
};

const WRONG_SECRET = 'S3_SECRET_ACCESS_KEY does not belong to S3_ACCESS_KEY_ID: correct it';
const WRONG_REGION = 'the bucket is in another region: correct S3_REGION and S3_ENDPOINT';
const NO_BUCKET = 'there is no such bucket: create it, or correct S3_BUCKET, S3_ENDPOINT and S3_PATH_STYLE';
const NO_PERMISSION =
  'the store does not allow this to the keys: give them the permissions that docs/OPERATING.md lists';

const S3: Record<string, string> = {
  NoSuchBucket: NO_BUCKET,
  NotFound: NO_BUCKET,
  SignatureDoesNotMatch: WRONG_SECRET,
  InvalidAccessKeyId: 'the store does not know this access key: correct S3_ACCESS_KEY_ID',
  AccessDenied: NO_PERMISSION,
  UserSuspended: 'the user of these keys is suspended in the store: enable the user, or use other keys',
  PermanentRedirect: WRONG_REGION,
  IllegalLocationConstraintException: WRONG_REGION,
  AuthorizationHeaderMalformed: WRONG_REGION,
  RequestTimeTooSkewed: 'the clocks of this machine and of the store differ: correct them with NTP',
  ExpiredToken: 'the credentials of this machine have expired: renew them',
  CredentialsProviderError:
    'there are no keys: set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, or give this machine a role that may use the bucket',
};

const NO_LOGIN =
  'check the user and the password in DATABASE_URL, and that pg_hba.conf of the database lets this machine in';

const POSTGRES: Record<string, string> = {
  '28P01': 'correct the user or the password in DATABASE_URL',
  '28000': NO_LOGIN,
  '3D000': 'create the database, or correct its name in DATABASE_URL',
  '42501': 'let the user of DATABASE_URL own the database: `ALTER DATABASE … OWNER TO …`',
  '53300': 'the database has too many connections: lower DATABASE_CONNECTIONS, or raise its max_connections',
  '53100': 'the disk of the database is full: make room on it',
  '25006': 'the database is read-only: name the primary in DATABASE_URL, not a replica',
  '57P03': 'the database is starting or stopping: try again in a moment',
};

const RESTORE = 'stop the server, keep a copy of the file, and restore the last back-up (docs/OPERATING.md)';

/** By SQLite's primary result code. */
const SQLITE: Record<number, string> = {
  5: 'another program holds the database: stop it',
  10: 'the disk reports errors: see the log of the system',
  11: RESTORE,
  13: 'the disk is full: make room on it',
  26: RESTORE,
};

/** Read-only, or not to be opened: of another user, or on a disk that is read-only. */
const SQLITE_NO_ACCESS = new Set([3, 8, 14]);
const DISK_NO_ACCESS = new Set(['EACCES', 'EPERM']);

/** Files and folders. */
const DISK: Record<string, string> = {
  ENOSPC: 'its disk is full: make room on it',
  EDQUOT: 'the quota on its disk is used up: make room, or raise the quota',
  EROFS: 'its disk is read-only: mount it writable, and see the log of the system if the system made it read-only',
  ENOTDIR: 'a part of its path is a file: correct DATA_DIR, or move the file away',
  EIO: 'its disk reports errors: see the log of the system',
};

const OTHERWISE: Record<Service, string> = {
  postgres: 'check that it runs, and that DATABASE_URL names it, its user and its password',
  sqlite: RESTORE,
  disk: 'mount its disk, and give it to the user who runs the server; if the files are in a bucket, set S3_BUCKET',
  s3: 'check S3_BUCKET, S3_ENDPOINT, S3_REGION and S3_PATH_STYLE, and that the keys may read, write and delete in the bucket, versions of objects included',
};

/** `folder` is DATA_DIR, for what this machine keeps itself. */
export function adviceFor(error: unknown, service: Service, folder: string): string {
  return knownAdvice(error, service, folder) ?? OTHERWISE[service];
}

/** Whether the service has not responded at all. */
export const isUnreachable = (error: unknown): boolean => (codeOf(error) ?? '') in NETWORK;

function knownAdvice(error: unknown, service: Service, folder: string): string | undefined {
  const code = codeOf(error) ?? '';
  if (service === 's3' || service === 'postgres') return (service === 's3' ? S3 : POSTGRES)[code] ?? NETWORK[code];
  const sqliteCode = service === 'sqlite' ? resultCodeOf(rootOf(error)) : -1;
  if (SQLITE_NO_ACCESS.has(sqliteCode)) return `${ownerAdvice(folder)}; its disk must not be read-only`;
  return DISK_NO_ACCESS.has(code) ? ownerAdvice(folder) : (SQLITE[sqliteCode] ?? DISK[code]);
}

/** The command that gives a folder to the user of this process. */
export function ownerAdvice(folder: string): string {
  const [user, group] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0];
  // A process cannot find out reliably whether it is in a container, and never which folder of the host it sees.
  const onHost = `if this is a container, do so on its host, with the folder that is mounted at ${folder}`;
  const command = existsSync(folder)
    ? `chown -R ${user}:${group} ${shellWord(folder)}`
    : `install -d -m 700 -o ${user} -g ${group} ${shellWord(folder)}`;
  return `it must belong to user ${user}, with everything in it. Run as root: ${command} (${onHost})`;
}

function shellWord(text: string): string {
  return /^[\w./-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function resultCodeOf(error: unknown): number {
  // The higher bits are details.
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : -1;
}
