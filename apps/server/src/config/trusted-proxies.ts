// The proxies that are trusted to report the address of a client.
import { type Config, StartError } from './config.ts';

export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/u.test(host);
}

/** A number of hops trusts every address that connects, so it is refused if clients could connect without the proxy. */
export function trustedProxies({
  TRUST_PROXY: trusted,
  HOST: host,
  PORT_IS_PRIVATE: isPrivate,
}: Pick<Config, 'TRUST_PROXY' | 'HOST' | 'PORT_IS_PRIVATE'>): Config['TRUST_PROXY'] {
  if (typeof trusted === 'number' && trusted > 0 && !isLoopback(host) && !isPrivate)
    throw new StartError(
      `TRUST_PROXY is a number, so a client that reaches HOST ${host} without the proxy can forge any address: ` +
        'name the addresses of the proxies instead, or set PORT_IS_PRIVATE=true if only they can reach the port',
    );
  return trusted;
}
