// Checks, with forged requests, that no client can choose the address under which it is counted.
import { randomBytes } from 'node:crypto';
import type { Config } from '../../../../config/config.ts';
import { isLoopback, trustedProxies } from '../../../../config/trusted-proxies.ts';
import { type Check, failed, ok, skipped } from '../../finding.ts';

const TIMEOUT_MS = 5000;
/** Addresses for documentation (RFC 5737): no client has them. */
const FORGED_ADDRESSES = ['192.0.2.1', '198.51.100.1'];
const ADVICE =
  'set TRUST_PROXY to the addresses of your proxies and nothing else, let the proxy replace X-Forwarded-For, and let nobody else reach PORT';

export const trustedProxy: Check = {
  name: 'trusted proxy',
  async run({ config }) {
    if (trustedProxies(config) === undefined) return skipped('TRUST_PROXY is not set: no proxy is trusted');
    if (config.PUBLIC_ORIGIN === undefined) return skipped('PUBLIC_ORIGIN is not set');
    const isFooled = await believesForgery(config.PUBLIC_ORIGIN, config);
    if (isFooled === undefined) return skipped('the service does not respond');
    if (isFooled) return failed(`${config.PUBLIC_ORIGIN} believes this machine any address in X-Forwarded-For`, ADVICE);
    const direct = directOrigin(config.PUBLIC_ORIGIN, config);
    if (direct !== undefined && (await believesForgery(direct, config)))
      return failed(`${direct} responds without the proxy and believes any address in X-Forwarded-For`, ADVICE);
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
  const response = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
  const { addressTag } = (await response.json()) as { addressTag?: string };
  return addressTag;
}
