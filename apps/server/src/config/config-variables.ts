// Every environment variable: what it is for, what it may hold, and its default. docs/OPERATING.md is made from this.
import { ANALYTICS_SERVICES, HIDE_NAMES } from '@furoshiki/api';
import * as kinds from './variable-kinds.ts';

const rate = (about: string, perHour: number) => ({
  ...kinds.number('a number', 0, 1_000_000),
  fallback: String(perHour),
  about: `${about}, per client address and hour. \`0\`: no limit.`,
});

export const variables = {
  HOST: {
    ...kinds.text('a host name or address'),
    fallback: '127.0.0.1',
    about: 'Address to listen on. `0.0.0.0` means every network.',
  },
  PORT: {
    ...kinds.number('a port number', 0, 65_535),
    fallback: '3000',
    about: 'Port to listen on. `0` takes any free one.',
  },
  DATA_DIR: {
    ...kinds.text('a folder'),
    fallback: './data',
    about: 'Folder for the database, the files and the secret.',
  },
  DATABASE_URL: {
    ...kinds.databaseUrl,
    about:
      'PostgreSQL (14 or newer) for the metadata of files, for one or many servers. Several hosts are separated by commas: the first that can be written to is used. Unset: SQLite in `DATA_DIR`.',
  },
  DATABASE_CONNECTIONS: {
    ...kinds.number('a number', 2, 1000),
    fallback: '10',
    about: 'Maximum number of connections that one server opens to `DATABASE_URL`.',
  },
  S3_BUCKET: {
    ...kinds.text('the name of a bucket'),
    about: 'Bucket of an S3 store for the bytes of files. Unset: the disk, in `DATA_DIR`.',
  },
  S3_ENDPOINT: {
    ...kinds.endpoint,
    about: 'URL at which this server reaches the store. Unset: Amazon, in `S3_REGION`.',
  },
  S3_PUBLIC_ENDPOINT: {
    ...kinds.endpoint,
    about: 'URL at which browsers reach the store. Signed URLs point to it. Unset: `S3_ENDPOINT`.',
  },
  S3_REGION: {
    ...kinds.text('the name of a region'),
    fallback: 'us-east-1',
    about: 'Region that requests are signed for.',
  },
  S3_ACCESS_KEY_ID: {
    ...kinds.text('an access key'),
    about:
      'Access key for the store, together with `S3_SECRET_ACCESS_KEY`. Unset: the credentials of the machine, such as an instance role.',
  },
  S3_SECRET_ACCESS_KEY: { ...kinds.text('a secret key'), about: 'The secret of `S3_ACCESS_KEY_ID`.' },
  S3_PATH_STYLE: {
    ...kinds.flag,
    fallback: 'false',
    about: "Whether the bucket's name is in the path instead of the host name. Most self-hosted stores need it.",
  },
  S3_PROXY: {
    ...kinds.flag,
    fallback: 'false',
    about: 'Whether bytes pass through this server, because browsers cannot reach the store.',
  },
  PUBLIC_ORIGIN: {
    ...kinds.origin,
    about: 'Origin at which people reach the service. Unset: the address of each request.',
  },
  BASE_PATH: {
    ...kinds.basePath,
    about: 'Path of the service, if it shares its origin with others. Unset: the root.',
  },
  FULL_PREVIEWS: {
    ...kinds.flag,
    fallback: 'false',
    about:
      'Whether pages contain `PUBLIC_ORIGIN`, so that link previews show a picture even in programs that want full addresses. The pages are then no longer those of the published manifest: see [VERIFYING.md](VERIFYING.md#published-or-your-own).',
  },
  WEBCAT_DIR: {
    ...kinds.text('a folder'),
    about:
      'Folder with the signed files that this server serves below `/.well-known/webcat/`, for browsers that check pages: see [VERIFYING.md](VERIFYING.md). Unset: those of the release, if it has any and this server serves the published client.',
  },
  SOURCE_URL: {
    ...kinds.sourceUrl,
    about:
      'Address of the sources that the web app was built from, with `{commit}` in place of the commit: the security page links to it, and a signed manifest names it. Unset: no link.',
  },
  TRUST_PROXY: {
    ...kinds.trustedProxies,
    about:
      'Proxies that are trusted to report the client address: their addresses and networks (`loopback`, `linklocal` and `uniquelocal` are names of such), or a number of hops if no one else can reach `PORT`. Unset: none.',
  },
  PORT_IS_PRIVATE: {
    ...kinds.flag,
    fallback: 'false',
    about:
      'Whether only proxies can reach `PORT`, although `HOST` is not a loopback address. Only then may `TRUST_PROXY` be a number.',
  },
  TLS_CERT_FILE: {
    ...kinds.text('a file'),
    about:
      'Certificate chain (PEM) of built-in TLS, together with `TLS_KEY_FILE`. Unset: plain HTTP. SIGHUP reads both again.',
  },
  TLS_KEY_FILE: {
    ...kinds.text('a file'),
    about: 'Private key (PEM, without a password) of `TLS_CERT_FILE`.',
  },
  SECRET: {
    ...kinds.secret,
    about:
      'Signs tokens and URLs. All servers of a cluster need the same: required with `DATABASE_URL` and `S3_BUCKET`. Otherwise, if unset, it is created once and kept in `DATA_DIR`.',
  },
  UPLOAD_TOKEN: {
    ...kinds.secret,
    about: 'Makes the instance private: only people who know this token may upload. Unset: anyone may.',
  },
  SIGN_IN: {
    ...kinds.flag,
    fallback: 'false',
    about:
      'Whether people sign in at the proxy to send, instead of entering `UPLOAD_TOKEN`, which the proxy then has: see [Private instances](#private-instances).',
  },
  ALLOW_UNENCRYPTED: {
    ...kinds.flag,
    fallback: 'false',
    about: 'Whether files without encryption are accepted.',
  },
  REQUIRE_FORMAT_2: {
    ...kinds.flag,
    fallback: 'false',
    about:
      'Whether new encrypted files must have format 2. All clients of this version send it. Files of format 1, from clients that know only the basic API, need no proof of the key, and can be made so that two keys open them to two contents.',
  },
  HIDE_NAMES: {
    ...kinds.choice(HIDE_NAMES),
    fallback: 'choice',
    about:
      'Whether senders may hide names, types and exact sizes of files from this server (`choice`), or must (`always`). With `always`, clients that cannot do so cannot upload.',
  },
  REQUESTS: {
    ...kinds.flag,
    fallback: 'true',
    about:
      'Whether people who may upload can also ask others for files. What is sent to them needs no upload token, and only they can open it.',
  },
  MAX_REQUEST_BYTES: {
    ...kinds.size,
    fallback: '100GB',
    about: 'How many bytes may be delivered for one request.',
  },
  MAX_STORED_BYTES: {
    ...kinds.size,
    about:
      'Maximum size of all files together, with what is known of them in the database. Required with `S3_BUCKET`, which has no size of its own. Otherwise, if unset: the size of the disk.',
  },
  MIN_FREE_DISK_BYTES: {
    ...kinds.size,
    fallback: '1GB',
    about: 'Disk space that stays free: an upload that would need it is refused.',
  },
  MAX_DAILY_UPLOAD_BYTES: {
    ...kinds.size,
    fallback: '100GB',
    about:
      'How many bytes one client address may announce for upload in a day (UTC). A file counts with everything that it takes: blocks of the disk, its row, its details and lists.',
  },
  MAX_DAILY_RECORD_BYTES: {
    ...kinds.size,
    fallback: '32MB',
    about:
      'How much one client address may add to the database in a day (UTC): names, details and lists. A file takes about 2 KB, so the default is about 15,000 files.',
  },
  MAX_UNSENT_BYTES: {
    ...kinds.size,
    fallback: '25GB',
    about:
      'How many bytes of open uploads one client address may have announced and not yet sent. Space is reserved for them.',
  },
  SWEEP_SECONDS: {
    ...kinds.number('a number of seconds', 1, 3600),
    fallback: '60',
    about: 'How often expired files and abandoned uploads are removed.',
  },
  MAX_CONNECTIONS_PER_ADDRESS: {
    ...kinds.number('a number', 0, 1_000_000),
    fallback: '128',
    about: 'How many connections one client address may hold open. Trusted proxies are not limited. `0`: no limit.',
  },
  MAX_CONNECTIONS: {
    ...kinds.number('a number', 0, 1_000_000),
    fallback: '4096',
    about:
      'How many connections all clients together may hold open. One address gets at most half of those that are left. Trusted proxies are not limited. `0`: no limit.',
  },
  MAX_REQUESTS_PER_ADDRESS: {
    ...kinds.number('a number', 0, 1_000_000),
    fallback: '64',
    about:
      'How many requests, and how many transfers of stored bytes, of one client address run at the same time; of lookups of pages, an eighth. As many again wait for their turn. `0`: no limit.',
  },
  MAX_REQUESTS: {
    ...kinds.number('a number', 0, 1_000_000),
    fallback: '1024',
    about:
      'How many requests, and how many transfers of stored bytes, of all clients together run at the same time; of lookups of pages, a thirty-second. One address gets at most half of those that are left. Further ones get status 503. `0`: no limit.',
  },
  REQUESTS_PER_HOUR: rate('Requests of all kinds together', 100_000),
  READS_PER_HOUR: rate(
    'Pages (a large one counts as up to eleven), files and settings looked up, and refused downloads, each',
    12_000,
  ),
  TOKENS_PER_HOUR: rate('Security tokens', 3000),
  UPLOADS_PER_HOUR: rate('Uploads opened', 3000),
  PART_CALLS_PER_HOUR: rate('Calls of each kind for the parts of files, sent or received', 20_000),
  DOWNLOADS_PER_HOUR: rate('Downloads requested', 6000),
  DELETES_PER_HOUR: rate('Files deleted', 3000),
  CONTACTS_PER_HOUR: rate('Messages through the contact form', 20),
  REPORTS_PER_HOUR: rate('Pages reported', 20),
  CONTACT_EMAIL: {
    ...kinds.email,
    about: 'Receives messages and reports by mail, and is shown on the contact page. Unset: no address is shown.',
  },
  SECURITY_CONTACT: {
    ...kinds.emailOrUrl,
    about:
      'Where to report security problems: an email address or a URL, for `/.well-known/security.txt`. Unset: `CONTACT_EMAIL` or else the contact page.',
  },
  // Who runs the instance, for its legal pages.
  OPERATOR_NAME: {
    ...kinds.line('a name', 200),
    about:
      'Who runs this instance, a person or a company: for the legal notice, the privacy policy and the terms, like all settings that start with `OPERATOR_`. The law of most countries requires it: see [by country](#by-country). The pages leave out what is unset; `doctor` says what is missing.',
  },
  OPERATOR_ADDRESS: {
    ...kinds.lines('a postal address', 500),
    about: 'Postal address of the operator. `\\n` begins a new line.',
  },
  OPERATOR_CONTACT: {
    ...kinds.emailOrUrl,
    about:
      'Where the operator receives privacy and legal requests: an email address or a URL. Unset: `CONTACT_EMAIL` or else the contact page.',
  },
  OPERATOR_PHONE: {
    ...kinds.line('a telephone number', 100),
    about: 'Telephone number of the operator, or another second way to reach it quickly.',
  },
  OPERATOR_REPRESENTATIVE: {
    ...kinds.line('a name', 200),
    about:
      'Who represents the company, with title: the managing director, in Japan the representative, in France the person in charge of publication. On the legal notice and the terms.',
  },
  OPERATOR_PRIVACY_CONTACT: {
    ...kinds.lines('a name', 500),
    about:
      'Who is in charge of personal data, with department and how to reach them: the data protection officer in the EU (if there is one), the privacy officer in Korea, the encarregado in Brazil. On the privacy policy. Not the managing director, if the law requires an independent person. `\\n` begins a new line.',
  },
  OPERATOR_EU_REPRESENTATIVE: {
    ...kinds.lines('a name and an address', 500),
    about:
      'Representative in the EU or the United Kingdom (GDPR 27), if the operator is elsewhere and offers the service there. `\\n` begins a new line.',
  },
  OPERATOR_REGISTER_NUMBER: {
    ...kinds.line('a number', 200),
    about: 'Company register and number, VAT id or the like, if the law requires one.',
  },
  OPERATOR_PROCESSORS: {
    ...kinds.lines('a list', 2000),
    about:
      'Companies that process data for the operator (hosting, storage, mail), each with its task, country and contact. `\\n` begins a new line.',
  },
  OPERATOR_SERVER_COUNTRY: {
    ...kinds.line('a country', 200),
    about: 'Country where the server and its storage are, or several.',
  },
  OPERATOR_LAW: {
    ...kinds.line('a law', 200),
    about:
      'Law that applies to the terms, such as `German law`, in the language of most visitors: all nine languages show the same text. Unset: Japanese law, in Korean texts Korean law.',
  },
  OPERATOR_COURT: {
    ...kinds.line('a court', 200),
    about:
      'Court of first instance for the terms, shown like `OPERATOR_LAW`. Unset: the Tokyo District Court, in Korean texts the Seoul Central District Court.',
  },
  TERMS_DATE: {
    ...kinds.day,
    about:
      'The date from which the current terms and privacy policy apply on this instance. Set it again whenever an upgrade changes them.',
  },
  SMTP_URL: {
    ...kinds.smtpUrl,
    about:
      'Mail server that sends to `CONTACT_EMAIL`. `smtps://` is TLS from the start; `smtp://` uses TLS if the server offers it, always with `?requireTLS=true`, never with `?ignoreTLS=true`. Unset: read messages with the admin tool.',
  },
  MAIL_FROM: { ...kinds.email, about: 'Sender address of mail. Unset: `CONTACT_EMAIL`.' },
  ANALYTICS_SERVICE: {
    ...kinds.choice(ANALYTICS_SERVICES),
    about:
      'Kind of analytics service, together with `ANALYTICS_URL` and `ANALYTICS_ID`. Unset: none. It receives pages and events, never a key, a name, an id or a link; browsers that ask not to be tracked send nothing.',
  },
  ANALYTICS_URL: {
    ...kinds.origin,
    about:
      'Origin of that service, the only other one that pages may then connect to. For GA4 `https://www.google-analytics.com`.',
  },
  ANALYTICS_ID: {
    ...kinds.text('an id'),
    about:
      'The id of this site at the service: the measurement id (ga4), the domain (plausible), the website id (umami).',
  },
  LOG_LEVEL: {
    ...kinds.choice(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']),
    fallback: 'warn',
    about: 'How much is logged. `info` adds a line per request; no level logs addresses, ids or names.',
  },
  METRICS_PORT: {
    ...kinds.number('a port number', 1, 65_535),
    about: 'Port that serves Prometheus metrics at `/metrics`. Unset: no metrics.',
  },
  METRICS_HOST: {
    ...kinds.text('a host name or address'),
    fallback: '127.0.0.1',
    about: 'Address that serves the metrics. Do not expose it to the internet.',
  },
} satisfies Record<string, kinds.Variable>;

export type VariableName = keyof typeof variables;
