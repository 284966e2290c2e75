// The kinds of environment variables: what a text must look like, as a schema, and how a message describes it.
import { isIP } from 'node:net';
import { isEmailAddress } from '@furoshiki/api';
import * as z from 'zod/mini';

export interface VariableKind<S extends z.core.$ZodType = z.core.$ZodType> {
  /** What a value must be, to end the sentence "NAME must be …". */
  expected: string;
  schema: S;
}

export interface Variable extends VariableKind {
  about: string;
  /** Used if the variable is not set. Without it the variable may stay unset. */
  fallback?: string;
}

const kind = <S extends z.core.$ZodType>(expected: string, schema: S): VariableKind<S> => ({ expected, schema });
const textThat = (fits: (text: string) => boolean) => z.string().check(z.refine(fits));
const textLike = (pattern: RegExp) => z.string().check(z.regex(pattern));
const digits = textLike(/^\d+$/u);
const toNumber = z.transform(Number);

/** Returns false if `text` is not a URL. */
const isUrl = (text: string, fits: (url: URL) => boolean) => URL.canParse(text) && fits(new URL(text));
const isHttp = ({ protocol }: URL) => protocol === 'http:' || protocol === 'https:';

export const text = (expected: string) => kind(expected, z.string().check(z.minLength(1)));

/** One line to show to people. */
export const line = (expected: string, maxLength: number) =>
  kind(
    `${expected}, in one line of at most ${maxLength} characters`,
    textThat((value) => value.length <= maxLength && /\S/u.test(value) && !/[\p{Cc}\u2028\u2029]/u.test(value)),
  );

/** Like `line`, but a backslash and an n, or a line break, begin a new line. */
export const lines = (expected: string, maxLength: number) =>
  kind(
    `${expected} of at most ${maxLength} characters, with \\n between its lines`,
    z.pipe(
      z.pipe(
        z.string(),
        z.transform((value: string) => value.replaceAll('\\n', '\n')),
      ),
      textThat((value) => value.length <= maxLength && /\S/u.test(value) && !/[^\P{Cc}\n]/u.test(value)),
    ),
  );

export const choice = <const C extends readonly string[]>(choices: C) =>
  kind(`one of ${choices.join(', ')}`, z.enum(choices));

export const flag = kind('true or false', z.stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' }));

export const number = (expected: string, min: number, max: number) =>
  kind(
    `${expected} from ${min} to ${max}`,
    z.pipe(z.pipe(digits, toNumber), z.number().check(z.minimum(min), z.maximum(max))),
  );

const UNITS: Record<string, number> = { KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 };
const SIZE = /^(?<count>\d+) ?(?<unit>[KMGT]B)?$/u;
const bytesOf = (size: string) => {
  const { count, unit = '' } = SIZE.exec(size)?.groups ?? {};
  return Number(count) * (UNITS[unit] ?? 1);
};

export const size = kind(
  'a size such as 500MB, 20GB or 2TB',
  z.pipe(z.pipe(textLike(SIZE), z.transform(bytesOf)), z.number().check(z.refine(Number.isSafeInteger))),
);

export const origin = kind(
  'an origin such as https://files.example.org, without a path',
  textThat((value) => isUrl(value, (url) => isHttp(url) && url.origin === value)),
);

export const endpoint = kind(
  'a URL such as https://s3.example.org',
  textThat((value) => isUrl(value, isHttp) && /^https?:[^?#]*$/u.test(value)),
);

export const basePath = kind(
  'a path such as /files, without a dot, a space or a slash at its end',
  textLike(/^(?:\/[\w~-]+)+$/u),
);

export const secret = kind(
  'a text of at least 32 characters that cannot be guessed',
  z.string().check(z.minLength(32)),
);

const isDay = (value: string) =>
  /^\d{4}-\d\d-\d\d$/u.test(value) &&
  !Number.isNaN(Date.parse(value)) &&
  new Date(value).toISOString().startsWith(value);

export const day = kind('a date such as 2026-01-31', textThat(isDay));

export const email = kind('an email address such as help@example.org', textThat(isEmailAddress));

const isHttpsUrl = (value: string) =>
  value.length <= 500 && isUrl(value, ({ protocol }) => protocol === 'https:') && !/\s/u.test(value);

export const sourceUrl = kind(
  'a URL that starts with https:// and has {commit} in place of the commit, such as https://git.example.org/furoshiki/tree/{commit}',
  textThat((value) => isHttpsUrl(value) && value.includes('{commit}')),
);

export const emailOrUrl = kind(
  'an email address, or a URL that starts with https://',
  textThat((value) => isEmailAddress(value) || isHttpsUrl(value)),
);

// Timeouts and logging are set by the server, not by the URL.
const SMTP_OPTION = /^(?:ignoreTLS|requireTLS|name|tls\.\w+)$/u;

export const smtpUrl = kind(
  'a URL such as smtps://user:password@mail.example.org:465',
  textThat((value) =>
    isUrl(
      value,
      ({ protocol, hostname, pathname, hash, searchParams }) =>
        /^smtps?:$/u.test(protocol) &&
        hostname !== '' &&
        /^\/?$/u.test(pathname) &&
        hash === '' &&
        [...searchParams.keys()].every((name) => SMTP_OPTION.test(name)),
    ),
  ),
);

export const databaseUrl = kind(
  'a URL such as postgres://user:password@db.example.org:5432/furoshiki',
  textThat((value) =>
    hostsIn(value).every((url) =>
      isUrl(
        url,
        ({ protocol, hostname, pathname, searchParams }) =>
          /^postgres(?:ql)?:$/u.test(protocol) &&
          // A Unix socket needs no host name: ?host=/run/postgresql
          (hostname !== '' || searchParams.has('host')) &&
          pathname.length > 1,
      ),
    ),
  ),
);

/**
 * Several hosts are written as for PostgreSQL's own clients: `postgres://user@one:5432,two:5432/name`. Returns one URL for each.
 * `target_session_attrs` is left out: the server always needs one that it can write to.
 */
export function hostsIn(url: string): string[] {
  const [, before = '', hosts = '', after = ''] = /^([^:]+:\/\/(?:[^/@]*@)?)([^/?]*)(.*)$/su.exec(url) ?? [];
  const rest = after.replace(/(?<=[?&])target_session_attrs=[^&]*&?/u, '').replace(/[?&]$/u, '');
  return hosts.split(',').map((host) => before + host + rest);
}

/** Names that Fastify knows for networks: this machine, the link, and private networks. */
const NETWORK_NAMES = new Set(['loopback', 'linklocal', 'uniquelocal']);

function isNetwork(network: string): boolean {
  if (NETWORK_NAMES.has(network)) return true;
  const [address = '', bits, ...rest] = network.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d+$/u.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

const networks = z.transform((value: string) => value.split(',').map((network) => network.trim()));

export const trustedProxies = kind(
  'addresses and networks such as 10.0.0.0/8, ::1, or a number of hops such as 1',
  z.union([z.pipe(digits, toNumber), z.pipe(z.pipe(z.string(), networks), z.array(textThat(isNetwork)))]),
);
