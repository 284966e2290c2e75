// Connects to a public address as a stranger would, for the checks. None of these judges the certificate: `reachable` does.
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { connect } from 'node:tls';

const TIMEOUT_MS = 5000;

/** Returns whether the server agrees to a TLS version that is older than 1.3. Throws if it cannot be reached at all. */
export async function acceptsOldTls(origin: URL): Promise<boolean> {
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

export async function requestHeaders(url: string): Promise<IncomingHttpHeaders> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const [response] = (await once(request(url, { rejectUnauthorized: false, signal }).end(), 'response', {
    signal,
  })) as [IncomingMessage];
  response.destroy();
  return response.headers;
}
