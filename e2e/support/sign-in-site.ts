// A site where people sign in to send: identity provider, stand-in for oauth2-proxy, server, and the proxy of deploy/.
import type { MadeCertificate } from '../../apps/server/testing/certificate.ts';
import { freePort } from '../../apps/server/testing/process.ts';
import { deployed, oneServerSite, type Ports } from './deployed-proxies.ts';
import { IdentityProvider } from './identity-provider.ts';
import { OAuth2Proxy } from './oauth2-proxy.ts';
import { type ProxyName, ProxyProcess } from './proxy-process.ts';
import { ServerProcess } from './server-process.ts';

export const UPLOAD_TOKEN = '0123456789abcdef0123456789abcdef';

export interface SignInSite {
  url: string;
  server: ServerProcess;
  proxy: ProxyProcess;
  discard(): Promise<void>;
}

interface Options {
  certificate: MadeCertificate;
  /** What the proxy takes for the upload token. */
  token?: string;
  /** Whether the operator has forgotten the file with the sign-in. */
  isForgotten?: true;
  /** Below this path instead of the root. */
  basePath?: '/files';
}

export async function startSignInSite(
  name: ProxyName,
  { certificate, token = UPLOAD_TOKEN, isForgotten, basePath }: Options,
): Promise<SignInSite> {
  const proxyPort = await freePort();
  const url = `https://127.0.0.1:${proxyPort}`;
  const provider = await IdentityProvider.start(`${url}/oauth2/callback`);
  const oauth2Proxy = await OAuth2Proxy.start(provider.url, `${url}/oauth2/callback`);
  const server = await ServerProcess.start({
    UPLOAD_TOKEN,
    SIGN_IN: 'true',
    TRUST_PROXY: '1',
    LOG_LEVEL: 'trace',
    ...(basePath && { BASE_PATH: basePath }),
  });
  const ports = { proxy: proxyPort, server: server.port };
  const file = name === 'nginx' ? await nginxFile(ports, oauth2Proxy, token) : await deployed('sign-in.caddy');
  // What deploy/README.md says about a path.
  const addition = isForgotten
    ? ''
    : file.replaceAll(' /sign-in', ` ${basePath ?? ''}/sign-in`).replace('=/sign-in', `=${basePath ?? ''}/sign-in`);
  const place = name === 'nginx' ? '\tlocation / {' : '\treverse_proxy';
  const site = (await oneServerSite(name, ports, certificate)).replace(place, () => `${addition}\n${place}`);
  // Caddy takes both from its environment.
  const environment = { UPLOAD_TOKEN: token, OAUTH2_PROXY: `127.0.0.1:${oauth2Proxy.port}` };
  const proxy = await ProxyProcess.start(name, proxyPort, site, environment);
  return {
    url: url + (basePath ?? ''),
    server,
    proxy,
    async discard() {
      await proxy.discard();
      await server.discard();
      await oauth2Proxy.discard();
      await provider.discard();
    },
  };
}

async function nginxFile({ server }: Ports, oauth2Proxy: OAuth2Proxy, token: string): Promise<string> {
  return (await deployed('sign-in.nginx.conf'))
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${server}`)
    .replaceAll('127.0.0.1:4180', `127.0.0.1:${oauth2Proxy.port}`)
    .replace('put the upload token here', token);
}
