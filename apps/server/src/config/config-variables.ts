// Every environment variable: what it is for, what it may hold, and how it is read. docs/OPERATING.md is made from this.
import { isIP } from 'node:net';
import { ANALYTICS_SERVICES, isEmailAddress } from '@furoshiki/core';

export interface Variable<T> {
  about: string;
  /** What a value must be, to end the sentence "NAME must be …". */
  expected: string;
  /** Used where the variable is not set. Undefined: it may stay unset. */
  fallback: string | undefined;
  /** Throws anything where the text does not fit. */
  parse(text: string): T;
}

type Optional<T> = Variable<T> & { fallback: undefined };
type Given<T> = Variable<T> & { fallback: string };

interface Facts<F> {
  about: string;
  fallback: F;
}

function variable<T, F>(facts: Facts<F>, expected: string, parse: (text: string) => T) {
  return { ...facts, expected, parse };
}

function check(holds: boolean): void {
  if (!holds) throw new Error('unfit');
}

const text = <F>(facts: Facts<F>, expected: string) =>
  variable(facts, expected, (value) => {
    check(value !== '');
    return value;
  });

const flag = <F>(facts: Facts<F>) =>
  variable(facts, 'true or false', (value) => {
    check(value === 'true' || value === 'false');
    return value === 'true';
  });

const number = <F>(facts: Facts<F>, expected: string, { min, max }: { min: number; max: number }) =>
  variable(facts, `${expected} from ${min} to ${max}`, (value) => {
    check(/^\d+$/u.test(value) && Number(value) >= min && Number(value) <= max);
    return Number(value);
  });

const choice = <const C extends string, F>(facts: Facts<F>, choices: readonly C[]) =>
  variable(facts, `one of ${choices.join(', ')}`, (value) => {
    const chosen = choices.find((known) => known === value);
    if (chosen === undefined) throw new Error('unfit');
    return chosen;
  });

const UNITS = { '': 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 };

const size = <F>(facts: Facts<F>) =>
  variable(facts, 'a size such as 500MB, 20GB or 2TB', (value) => {
    const [, digits, unit = ''] = /^(\d+) ?([KMGT]B)?$/u.exec(value) ?? [];
    check(digits !== undefined && Number.isSafeInteger(Number(digits) * UNITS[unit as keyof typeof UNITS]));
    return Number(digits) * UNITS[unit as keyof typeof UNITS];
  });

const origin = <F>(facts: Facts<F>) =>
  variable(facts, 'an origin such as https://files.example.org, without a path', (value) => {
    check(URL.canParse(value) && /^https?:/u.test(value) && new URL(value).origin === value);
    return value;
  });

const endpoint = <F>(facts: Facts<F>) =>
  variable(facts, 'a URL such as https://s3.example.org', (value) => {
    check(URL.canParse(value) && /^https?:/u.test(value) && !/[?#]/u.test(value));
    return value;
  });

const basePath = <F>(facts: Facts<F>) =>
  variable(facts, 'a path such as /files, without a dot, a space or a slash at its end', (value) => {
    check(/^(?:\/[\w~-]+)+$/u.test(value));
    return value;
  });

const secret = <F>(facts: Facts<F>) =>
  variable(facts, 'a text of at least 32 characters that nobody guesses', (value) => {
    check(value.length >= 32);
    return value;
  });

const trustedProxies = <F>(facts: Facts<F>) =>
  variable(facts, 'a number of hops such as 1, or addresses and networks such as 10.0.0.0/8, ::1', (value) => {
    if (/^\d+$/u.test(value)) return Number(value);
    const networks = value.split(',').map((network) => network.trim());
    for (const network of networks) {
      const [address = '', bits, ...rest] = network.split('/');
      const version = isIP(address);
      check(version !== 0 && rest.length === 0);
      check(bits === undefined || (/^\d+$/u.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)));
    }
    return networks;
  });

const email = <F>(facts: Facts<F>) =>
  variable(facts, 'an email address such as help@example.org', (value) => {
    check(isEmailAddress(value));
    return value;
  });

// How long to wait and what to log are not for the URL to say.
const SMTP_OPTION = /^(?:ignoreTLS|requireTLS|name|tls\.\w+)$/u;

const smtpUrl = <F>(facts: Facts<F>) =>
  variable(facts, 'a URL such as smtps://user:password@mail.example.org:465', (value) => {
    check(URL.canParse(value));
    const url = new URL(value);
    check(/^smtps?:$/u.test(url.protocol) && url.hostname !== '' && /^\/?$/u.test(url.pathname) && url.hash === '');
    check([...url.searchParams.keys()].every((name) => SMTP_OPTION.test(name)));
    return value;
  });

const databaseUrl = <F>(facts: Facts<F>) =>
  variable(facts, 'a URL such as postgres://user:password@db.example.org:5432/furoshiki', (value) => {
    check(URL.canParse(value));
    const { protocol, hostname, pathname, searchParams } = new URL(value);
    // A database may also be reached by a socket: ?host=/run/postgresql
    check(/^postgres(?:ql)?:$/u.test(protocol) && (hostname !== '' || searchParams.has('host')) && pathname.length > 1);
    return value;
  });

const unset = undefined;

const rate = (about: string, fallback: number) =>
  number({ about: `${about}, per client address and hour. \`0\`: no limit.`, fallback: String(fallback) }, 'a number', {
    min: 0,
    max: 1_000_000,
  });

export const variables = {
  HOST: text(
    { about: 'Address to listen on. `0.0.0.0` is every network.', fallback: '127.0.0.1' },
    'a host name or address',
  ),
  PORT: number({ about: 'Port to listen on. `0` takes any free one.', fallback: '3000' }, 'a port number', {
    min: 0,
    max: 65_535,
  }),
  DATA_DIR: text(
    { about: 'Folder that keeps the database, the files and the secret.', fallback: './data' },
    'a folder',
  ),
  DATABASE_URL: databaseUrl({
    about:
      'PostgreSQL (14 or newer) that keeps what is known of files, for one server or many. Unset: SQLite in `DATA_DIR`.',
    fallback: unset,
  }),
  DATABASE_CONNECTIONS: number(
    { about: 'How many connections one server opens to `DATABASE_URL` at most.', fallback: '10' },
    'a number',
    { min: 2, max: 1000 },
  ),
  S3_BUCKET: text(
    { about: 'Bucket of an S3 store that keeps the bytes. Unset: the disk, in `DATA_DIR`.', fallback: unset },
    'the name of a bucket',
  ),
  S3_ENDPOINT: endpoint({
    about: 'Where this server reaches the store. Unset: Amazon, in `S3_REGION`.',
    fallback: unset,
  }),
  S3_PUBLIC_ENDPOINT: endpoint({
    about: 'Where browsers reach the store. Signed URLs lead there. Unset: `S3_ENDPOINT`.',
    fallback: unset,
  }),
  S3_REGION: text({ about: 'Region that requests are signed for.', fallback: 'us-east-1' }, 'the name of a region'),
  S3_ACCESS_KEY_ID: text(
    {
      about:
        'Who we are to the store, together with `S3_SECRET_ACCESS_KEY`. Unset: what the machine has, such as an instance role.',
      fallback: unset,
    },
    'an access key',
  ),
  S3_SECRET_ACCESS_KEY: text({ about: 'The secret of `S3_ACCESS_KEY_ID`.', fallback: unset }, 'a secret key'),
  S3_PATH_STYLE: flag({
    about: "Whether the bucket's name stands in the path and not in the host name. Most stores of one's own need it.",
    fallback: 'false',
  }),
  S3_PROXY: flag({
    about: 'Whether bytes go through this server, because browsers cannot reach the store.',
    fallback: 'false',
  }),
  PUBLIC_ORIGIN: origin({
    about: 'Where people reach the service. Unset: the address that each request used.',
    fallback: unset,
  }),
  BASE_PATH: basePath({
    about: 'Path below which everything stands, where the service shares its origin with others. Unset: the root.',
    fallback: unset,
  }),
  TRUST_PROXY: trustedProxies({
    about:
      'Which proxies may tell the client address: a number of hops, or their addresses and networks. Nobody else is believed.',
    fallback: unset,
  }),
  TLS_CERT_FILE: text(
    {
      about:
        'Certificate chain (PEM) of built-in TLS, together with `TLS_KEY_FILE`. Unset: plain HTTP. SIGHUP reads both anew.',
      fallback: unset,
    },
    'a file',
  ),
  TLS_KEY_FILE: text({ about: 'Private key (PEM, without a password) of `TLS_CERT_FILE`.', fallback: unset }, 'a file'),
  SECRET: secret({
    about:
      'Signs tokens and URLs. Servers that share the work share it: needed with `DATABASE_URL` and `S3_BUCKET`. Otherwise, unset, it is made once and kept in `DATA_DIR`.',
    fallback: unset,
  }),
  UPLOAD_TOKEN: secret({
    about: 'Makes the instance private: only who knows this token may upload. Unset: anyone may.',
    fallback: unset,
  }),
  ALLOW_UNENCRYPTED: flag({ about: 'Whether files that are not encrypted are taken.', fallback: 'false' }),
  MAX_STORED_BYTES: size({
    about: 'How many bytes all files together may take. Unset: what the disk holds.',
    fallback: unset,
  }),
  MIN_FREE_DISK_BYTES: size({
    about: 'How much of the disk stays free: an upload that would need it is refused.',
    fallback: '1GB',
  }),
  MAX_DAILY_UPLOAD_BYTES: size({
    about: 'How many bytes one client address may upload in a day (UTC). Unset: no limit.',
    fallback: unset,
  }),
  SWEEP_SECONDS: number(
    { about: 'How often what has run out is cleared away.', fallback: '60' },
    'a number of seconds',
    { min: 1, max: 3600 },
  ),
  TOKENS_PER_HOUR: rate('Security tokens', 3000),
  UPLOADS_PER_HOUR: rate('Uploads opened', 3000),
  DOWNLOADS_PER_HOUR: rate('Downloads asked for', 6000),
  DELETES_PER_HOUR: rate('Files deleted', 3000),
  CONTACTS_PER_HOUR: rate('Messages through the contact form', 20),
  REPORTS_PER_HOUR: rate('Pages reported', 20),
  CONTACT_EMAIL: email({
    about: 'Where messages and reports are mailed, and the address that the contact page shows. Unset: it shows none.',
    fallback: unset,
  }),
  SMTP_URL: smtpUrl({
    about:
      'Mail server that sends to `CONTACT_EMAIL`. `smtps://` is TLS from the start; `smtp://` takes TLS where it is offered, always with `?requireTLS=true`, never with `?ignoreTLS=true`. Unset: messages wait to be read with the admin tool.',
    fallback: unset,
  }),
  MAIL_FROM: email({ about: 'Address that mail is sent from. Unset: `CONTACT_EMAIL`.', fallback: unset }),
  ANALYTICS_SERVICE: choice(
    {
      about:
        'Kind of service that is told of visits, together with `ANALYTICS_URL` and `ANALYTICS_ID`. Unset: nobody is told. It learns pages and events, never a key, a name, an id or a link; browsers that ask not to be tracked are left out.',
      fallback: unset,
    },
    ANALYTICS_SERVICES,
  ),
  ANALYTICS_URL: origin({
    about:
      'Origin of that service, the only one that the pages may then speak to. For GA4 `https://www.google-analytics.com`.',
    fallback: unset,
  }),
  ANALYTICS_ID: text(
    {
      about:
        'What the service knows this site by: the measurement id (ga4), the domain (plausible), the website id (umami).',
      fallback: unset,
    },
    'an id',
  ),
  LOG_LEVEL: choice(
    {
      about: 'How much is logged. `info` adds a line per request; no level tells addresses, ids or names.',
      fallback: 'warn',
    },
    ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'],
  ),
  METRICS_PORT: number(
    { about: 'Port that serves Prometheus metrics at `/metrics`. Unset: none are kept.', fallback: unset },
    'a port number',
    { min: 1, max: 65_535 },
  ),
  METRICS_HOST: text(
    { about: 'Address that the metrics are served on. Keep it from the internet.', fallback: '127.0.0.1' },
    'a host name or address',
  ),
} satisfies Record<string, Given<unknown> | Optional<unknown>>;

export type VariableName = keyof typeof variables;
