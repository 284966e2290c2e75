// What the operator can do about an error of a database or a store. One line for each code.
import { codeOf, rootOf } from './error-reason.ts';

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
const NO_ACCESS = 'give the file and its folder to the user who runs the server, on a disk that is not read-only';

/** By SQLite's primary result code. */
const SQLITE: Record<number, string> = {
  5: 'another program holds the database: stop it',
  8: NO_ACCESS,
  10: 'the disk reports errors: see the log of the system',
  11: RESTORE,
  13: 'the disk is full: make room on it',
  14: NO_ACCESS,
  26: RESTORE,
};

const NOT_OURS = 'give it to the user who runs the server, and run this as that user';

/** Files and folders. */
const DISK: Record<string, string> = {
  ENOSPC: 'its disk is full: make room on it',
  EDQUOT: 'the quota on its disk is used up: make room, or raise the quota',
  EROFS: 'its disk is read-only: mount it writable, and see the log of the system if the system made it read-only',
  EACCES: NOT_OURS,
  EPERM: NOT_OURS,
  ENOTDIR: 'a part of its path is a file: correct DATA_DIR, or move the file away',
  EIO: 'its disk reports errors: see the log of the system',
};

const OTHERWISE: Record<Service, string> = {
  postgres: 'check that it runs, and that DATABASE_URL names it, its user and its password',
  sqlite: RESTORE,
  disk: 'mount its disk, and give it to the user who runs the server; if the files are in a bucket, set S3_BUCKET',
  s3: 'check S3_BUCKET, S3_ENDPOINT, S3_REGION and S3_PATH_STYLE, and that the keys may read, write and delete in the bucket, versions of objects included',
};

export function adviceFor(error: unknown, service: Service): string {
  return knownAdvice(error, service) ?? OTHERWISE[service];
}

/** Whether the service has not responded at all. */
export const isUnreachable = (error: unknown): boolean => (codeOf(error) ?? '') in NETWORK;

function knownAdvice(error: unknown, service: Service): string | undefined {
  const code = codeOf(error) ?? '';
  if (service === 'sqlite') return SQLITE[resultCodeOf(rootOf(error))] ?? DISK[code];
  if (service === 'disk') return DISK[code];
  return (service === 's3' ? S3 : POSTGRES)[code] ?? NETWORK[code];
}

function resultCodeOf(error: unknown): number {
  // The higher bits are details.
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : -1;
}
