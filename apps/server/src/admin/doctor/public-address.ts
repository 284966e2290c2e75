// Checks of the public address, from outside: what a proxy, a certificate or a clock can get wrong.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect } from 'node:tls';
import { screenPath } from '@furoshiki/site';
import type { Config } from '../../config/config.ts';
import { isLoopback, trustedProxies } from '../../config/settings.ts';
import { reasonOf } from '../../diagnosis.ts';
import { UPLOAD_PASS_COOKIE } from '../../http/client.ts';
import { HALVES_PAUSE_MS } from '../../routes/api-routes.ts';
import { type Check, failed, ok, request, skipped, TIMEOUT_MS, warning } from './check.ts';

/** Checks that browsers give the page Web Crypto: they do so only on https:// and localhost. */
export const secureOrigin: Check = {
  name: 'secure origin',
  async run({ config: { PUBLIC_ORIGIN: origin } }) {
    if (origin === undefined)
      return skipped(
        'PUBLIC_ORIGIN is not set; users must open the site over https:// (or on localhost); otherwise they cannot send files',
      );
    if (isSecure(new URL(origin))) return ok(origin);
    return failed(
      `PUBLIC_ORIGIN ${origin} is neither https:// nor localhost: browsers give such pages no encryption, so users cannot send or open files`,
      'put a proxy with TLS in front of the server and set PUBLIC_ORIGIN to its https:// address',
    );
  },
};

function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u.test(hostname);
}

/** Checks that the service can be reached at its public address. */
export const reachable: Check = {
  name: 'reachable',
  async run({ config: { PUBLIC_ORIGIN, BASE_PATH } }) {
    if (PUBLIC_ORIGIN === undefined) return skipped('PUBLIC_ORIGIN is not set');
    const site = PUBLIC_ORIGIN + (BASE_PATH ?? '');
    try {
      const response = await requestHealth(site);
      if (response.status === 200 && (await response.text()).includes('"ok"')) return ok(`${site}/healthz responds`);
      return failed(
        `${site}/healthz responds with ${response.status}, and not as Furoshiki does`,
        'see where the proxy sends its requests, and whether the server runs',
      );
    } catch (error) {
      return failed(
        `${site}/healthz cannot be reached from here (${reasonOf(error)})`,
        'check that the server runs, that the name leads to this machine, and that proxy and certificate are in order',
      );
    }
  },
};

/** Checks that the site and the store speak TLS 1.3 only, as the security page promises. */
export const tlsVersions: Check = {
  name: 'TLS versions',
  async run({ openObjects, config: { PUBLIC_ORIGIN } }) {
    const { remote } = await openObjects();
    const origins = [PUBLIC_ORIGIN, remote?.origin].filter((origin) => origin?.startsWith('https:') === true);
    if (origins.length === 0) return skipped('no https address is set');
    const old = [];
    for (const origin of origins) {
      try {
        if (await acceptsOldTls(new URL(origin ?? ''))) old.push(origin);
      } catch (error) {
        return skipped(`${origin} cannot be reached from here (${reasonOf(error)})`);
      }
    }
    if (old.length === 0) return ok(`${origins.join(' and ')} accept TLS 1.3 only`);
    return failed(
      `${old.join(' and ')} still accept TLS 1.2, although the security page of the site promises TLS 1.3`,
      'nginx: `ssl_protocols TLSv1.3;` in the first server of the port; Caddy: `protocols tls1.3` in `tls`; deploy/ has both',
    );
  },
};

/** Half a year. Shorter times leave people unprotected who come back rarely. */
const MIN_SECONDS = 15_768_000;

/**
 * Checks that the site sends HSTS. Without it, the first request of a visit may use plain HTTP, which the network can
 * change.
 */
export const hsts: Check = {
  name: 'HSTS',
  async run({ config: { PUBLIC_ORIGIN, BASE_PATH = '' } }) {
    if (PUBLIC_ORIGIN?.startsWith('https:') !== true) return skipped('PUBLIC_ORIGIN is not an https address');
    let header: string | undefined;
    try {
      header = (await requestHeaders(`${PUBLIC_ORIGIN}${BASE_PATH}/healthz`))['strict-transport-security'];
    } catch (error) {
      return skipped(`the service cannot be reached (${reasonOf(error)})`);
    }
    if (Number(/max-age="?(\d+)/iu.exec(header ?? '')?.[1] ?? 0) >= MIN_SECONDS) return ok('browsers use https only');
    return failed(
      `${PUBLIC_ORIGIN} does not tell browsers to use https only (Strict-Transport-Security: ${header ?? 'missing'})`,
      'the server sends this header: see whether the proxy removes or replaces it',
    );
  },
};

/** The Date header has whole seconds, and the request takes time too. */
const TOLERATED_SECONDS = 30;

/** Checks that this machine and the service have the same time: files, grants and URLs expire by the clock. */
export const clock: Check = {
  name: 'clock',
  async run({ config: { PUBLIC_ORIGIN: origin, BASE_PATH }, clock: { nowMs } }) {
    if (origin === undefined) return skipped('PUBLIC_ORIGIN is not set, so there is no clock to compare with');
    let theirsMs: number;
    try {
      theirsMs = Date.parse((await requestHealth(origin + (BASE_PATH ?? ''))).headers.get('date') ?? '');
    } catch (error) {
      return skipped(`the service cannot be reached (${reasonOf(error)})`);
    }
    if (Number.isNaN(theirsMs)) return skipped('the service does not report its time');
    const seconds = Math.round(Math.abs(nowMs() - theirsMs) / 1000);
    if (seconds > TOLERATED_SECONDS)
      return failed(
        `this machine and ${origin} differ by ${seconds} seconds: files would end too early or too late`,
        'keep the clocks of both right with NTP',
      );
    return ok('agrees with the service');
  },
};

/** Addresses for documentation (RFC 5737): no client has them. */
const FORGED_ADDRESSES = ['192.0.2.1', '198.51.100.1'];
const PROXY_ADVICE =
  'set TRUST_PROXY to the addresses of your proxies and nothing else, let the proxy replace X-Forwarded-For, and let nothing else reach PORT';

/** Checks, with forged requests, that no client can choose the address under which it is counted. */
export const trustedProxy: Check = {
  name: 'trusted proxy',
  async run({ config }) {
    if (trustedProxies(config) === undefined) return skipped('TRUST_PROXY is not set: no proxy is trusted');
    if (config.PUBLIC_ORIGIN === undefined) return skipped('PUBLIC_ORIGIN is not set');
    const isFooled = await believesForgery(config.PUBLIC_ORIGIN, config);
    if (isFooled === undefined) return skipped('the service does not respond');
    if (isFooled)
      return failed(`${config.PUBLIC_ORIGIN} believes this machine any address in X-Forwarded-For`, PROXY_ADVICE);
    const direct = directOrigin(config.PUBLIC_ORIGIN, config);
    if (direct !== undefined && (await believesForgery(direct, config)))
      return failed(`${direct} responds without the proxy and believes any address in X-Forwarded-For`, PROXY_ADVICE);
    return ok('a forged X-Forwarded-For changes nothing');
  },
};

/** Where others would reach the server without its proxy. Undefined if it listens to this machine only. */
function directOrigin(publicOrigin: string, { HOST, PORT, TLS_CERT_FILE }: Config): string | undefined {
  if (isLoopback(HOST)) return undefined;
  const url = new URL(publicOrigin);
  url.protocol = TLS_CERT_FILE === undefined ? 'http:' : 'https:';
  url.port = String(PORT);
  return url.origin;
}

/** Returns undefined if no server of this version responds. */
async function believesForgery(origin: string, { BASE_PATH = '' }: Config): Promise<boolean | undefined> {
  const url = `${origin}${BASE_PATH}/healthz?nonce=${randomBytes(16).toString('base64url')}`;
  try {
    const [one, other] = await Promise.all(FORGED_ADDRESSES.map((address) => requestTag(url, address)));
    return one === undefined ? undefined : one !== other;
  } catch {
    return undefined;
  }
}

async function requestTag(url: string, forgedAddress: string): Promise<string | undefined> {
  const headers = { 'x-forwarded-for': forgedAddress };
  const response = await request(url, { headers });
  const { addressTag } = (await response.json()) as { addressTag?: string };
  return addressTag;
}

/**
 * Checks that a proxy passes a response on while it is being sent. nginx otherwise stores up to 1 GB of each download on its disk
 * if the client does not read, and the server cannot notice such a client.
 */
export const buffering: Check = {
  name: 'proxy buffering',
  needs: 'reachable',
  async run({ config: { PUBLIC_ORIGIN, BASE_PATH = '' } }) {
    if (PUBLIC_ORIGIN === undefined) return skipped('PUBLIC_ORIGIN is not set');
    const startedMs = performance.now();
    let pieces = 0;
    try {
      const response = await request(`${PUBLIC_ORIGIN}${BASE_PATH}/healthz?halves`);
      for await (const { length } of response.body ?? []) if (length > 0) pieces += 1;
    } catch (error) {
      return skipped(`the service cannot be reached (${reasonOf(error)})`);
    }
    if (pieces > 1) return ok('responses are passed on while they are being sent');
    if (performance.now() - startedMs < HALVES_PAUSE_MS * 0.9)
      return skipped('the service does not respond as this version does');
    return warning(
      `a proxy at ${PUBLIC_ORIGIN} keeps a response until it is complete: clients that do not read can fill its disk`,
      'nginx: `proxy_buffering off;` as in deploy/nginx.conf, or at least `proxy_max_temp_file_size 0;`',
    );
  },
};

const SIGN_IN_ADVICE = 'compare its settings with deploy/README.md, "Sign-in"';

/** Checks that a stranger gets no upload pass at the sign-in page, and is led to the sign-in. */
export const signIn: Check = {
  name: 'sign-in',
  async run({ config: { SIGN_IN, PUBLIC_ORIGIN, BASE_PATH = '' } }) {
    if (!SIGN_IN) return skipped('SIGN_IN is not set');
    if (PUBLIC_ORIGIN === undefined) return skipped('PUBLIC_ORIGIN is not set');
    const url = PUBLIC_ORIGIN + BASE_PATH + screenPath({ name: 'sign-in' });
    let response: Response;
    try {
      response = await request(url, { headers: { accept: 'text/html' } });
    } catch (error) {
      return skipped(`the service cannot be reached (${reasonOf(error)})`);
    }
    const { status, headers } = response;
    await response.body?.cancel();
    if (headers.getSetCookie().some((cookie) => cookie.includes(`${UPLOAD_PASS_COOKIE}=`)))
      return failed(`everyone may send: the proxy adds UPLOAD_TOKEN at ${url} without a sign-in`, SIGN_IN_ADVICE);
    if (status === 200) return failed(`no one can sign in: the proxy does not protect ${url}`, SIGN_IN_ADVICE);
    if ((status >= 300 && status < 400) || status === 401 || status === 403)
      return ok(`${url} is only for people who sign in`);
    return failed(`${url} responds with ${status} instead of leading to the sign-in`, SIGN_IN_ADVICE);
  },
};

const requestHealth = (siteUrl: string) => request(`${siteUrl}/healthz`);

/**
 * Returns whether the server agrees to a TLS version that is older than 1.3. Throws if it cannot be reached at all. Neither
 * this nor `requestHeaders` judges the certificate: `reachable` does.
 */
async function acceptsOldTls(origin: URL): Promise<boolean> {
  await handshake(origin, {});
  return handshake(origin, { maxVersion: 'TLSv1.2' }).then(
    () => true,
    () => false,
  );
}

async function handshake({ hostname, port }: URL, versions: { maxVersion?: 'TLSv1.2' }): Promise<void> {
  const host = hostname.replace(/^\[|\]$/gu, '');
  const servername = /^[\d.]+$|:/u.test(host) ? {} : { servername: host };
  const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false, ...servername, ...versions });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(TIMEOUT_MS) });
  } finally {
    socket.destroy();
  }
}

async function requestHeaders(url: string): Promise<IncomingHttpHeaders> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const [response] = (await once(requestHttps(url, { rejectUnauthorized: false, signal }).end(), 'response', {
    signal,
  })) as [IncomingMessage];
  response.destroy();
  return response.headers;
}
